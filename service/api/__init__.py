"""The endpoints: what is asked over HTTP, what is answered, and the limits of both."""
