"""What a security review would stop at: read file by file, and told by rule."""
