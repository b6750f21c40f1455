"""What is secret in a text: rules and shapes, and taking it out. Standard library only: the hook uses it too."""
