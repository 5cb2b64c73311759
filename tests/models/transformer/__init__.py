"""One file a module of `models/transformer`, and the references they are held against."""
