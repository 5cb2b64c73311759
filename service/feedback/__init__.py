"""What people say of answers: kept, exported as training data, and told as accuracy over time."""
