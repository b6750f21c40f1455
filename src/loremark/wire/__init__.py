"""Floor 1: the shapes of requests and answers, shared by the server and its clients. camelCase outside."""
