import { createContext, useContext, type ReactNode } from "react";
import { IconFolderQuestion } from "@tabler/icons-react";
import { useParams } from "wouter";
import { useGet } from "~/api/hooks";
import type { Project } from "~/api/types";
import { Empty, Loaded } from "~/parts/Page";

const Current = createContext<Project | null>(null);

/** The project whose pages are shown. */
export function useProject(): Project {
  const project = useContext(Current);
  if (project === null) throw new Error("useProject is for pages of a project");
  return project;
}

/** Whether to offer a change: nobody is shown what they may not do. */
export function useMayWrite(): boolean {
  const project = useProject();
  return project.status === "active" && project.rights !== "read";
}

export function useMayManage(): boolean {
  return useProject().rights === "manage";
}

export function useProjects() {
  return useGet("/api/projects");
}

export function OfProject({ children }: { children: ReactNode }) {
  const { projectId } = useParams<{ projectId: string }>();
  const projects = useProjects();
  return (
    <Loaded of={projects}>
      {(all) => {
        const project = all.find((one) => one.id === projectId);
        if (project) return <Current.Provider value={project}>{children}</Current.Provider>;
        return (
          <Empty icon={<IconFolderQuestion size={40} />} title="There is no such project">
            It was deleted, or you are not one of its members. Ask whoever owns it.
          </Empty>
        );
      }}
    </Loaded>
  );
}
