"""Layer 3: background jobs. A job is a row written in the transaction of the change that needs it."""
