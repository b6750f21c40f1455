"""Projects: members, repository, signing secret, archiving and deletion.

Owns: projects, project_members. Emits: ``projects`` live events. A deleted project disappears with the commit; a job
then removes its data, and copies of its repository that no other project needs.
"""
