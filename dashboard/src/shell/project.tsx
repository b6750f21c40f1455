import { Button } from "@mantine/core";
import { createContext, useContext, type ReactNode } from "react";
import { IconFolderQuestion } from "@tabler/icons-react";
import { Link, useParams } from "wouter";
import { useGet } from "~/api/hooks";
import type { Project } from "~/api/types";
import { EmptyState, Loaded } from "~/parts/Page";

const ProjectContext = createContext<Project | null>(null);

/** The project in the URL. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (project === null) throw new Error("useProject needs a project page");
  return project;
}

/** Whether to offer changes to the project's memory. */
export function useCanWrite(): boolean {
  const project = useProject();
  return project.status === "active" && project.accessLevel !== "read";
}

export function useCanManage(): boolean {
  return useProject().accessLevel === "manage";
}

/** A link to the setup guide, for those who can connect an agent to the project. */
export function ConnectAgent() {
  const { id } = useProject();
  if (!useCanWrite()) return null;
  return (
    <Button component={Link} href={`/welcome?project=${id}`} mt="xs">
      Connect an agent
    </Button>
  );
}

export function useProjects() {
  return useGet("/api/projects");
}

export function ProjectProvider({ children }: { children: ReactNode }) {
  const { projectId } = useParams<{ projectId: string }>();
  const projects = useProjects();
  return (
    <Loaded query={projects}>
      {(all) => {
        const project = all.find((candidate) => candidate.id === projectId);
        if (project) return <ProjectContext.Provider value={project}>{children}</ProjectContext.Provider>;
        return (
          <EmptyState icon={<IconFolderQuestion size={40} />} title="Project not found">
            It was deleted, or you don't have access. Ask a team admin to add you to it.
          </EmptyState>
        );
      }}
    </Loaded>
  );
}
