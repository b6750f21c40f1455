"""Which files of a tree are worth reading, and in what order, when not all can be."""
