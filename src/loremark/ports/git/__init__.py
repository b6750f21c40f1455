"""Git: commits, diffs and files of a project's repository, read over HTTPS by a `git` that can do nothing else."""
