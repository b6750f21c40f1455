"""What can be tidied up in a memory: rules that look at items and propose, and change nothing."""
