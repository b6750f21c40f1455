"""Floor 3: promises. Work to be done later is a row, written in the transaction of the change that asks for it."""
