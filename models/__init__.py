"""What a classifier is: the protocol, the labels, the artifact, and the models themselves."""
