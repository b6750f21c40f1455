"""Projects: their members, repository, signing secret, archive and deletion.

Owns: projects, project_members. Tells: ``projects`` notices. A deleted project is gone with the commit;
a job then removes all that hangs on it, and copies of its repository that nobody else needs.
"""
