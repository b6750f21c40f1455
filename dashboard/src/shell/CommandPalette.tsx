import { Loader, Modal, ScrollArea, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconArrowRight, IconFileText, IconMessage, IconSearch } from "@tabler/icons-react";
import { Fragment, useEffect, useMemo, useState, type KeyboardEvent, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useGet } from "~/api/hooks";
import { formatRelative } from "~/parts/format";
import { sourceName } from "~/parts/names";
import { useMe } from "./login";
import { PROJECT_PAGES, TEAM_PAGES } from "./pages";
import { useProjects } from "./project";
import classes from "./commandPalette.module.css";

const openRequests = new EventTarget();
export const openCommandPalette = () => openRequests.dispatchEvent(new Event("open"));

interface Option {
  key: string;
  to: string;
  name: string;
  about?: string;
  icon: ReactNode;
}

/** Pages and projects whose name contains every typed word. */
function usePageOptions(projectId: string | null, typed: string): Option[] {
  const me = useMe();
  const projects = useProjects();
  return useMemo(() => {
    const current = projects.data?.find((project) => project.id === projectId);
    const arrow = <IconArrowRight size={16} />;
    const all: Option[] = [
      ...(current
        ? PROJECT_PAGES.map((page) => ({
            key: `/p/${current.id}/${page.path}`,
            to: `/p/${current.id}/${page.path}`,
            name: page.name,
            about: current.name,
            icon: arrow,
          }))
        : []),
      ...TEAM_PAGES.filter((page) => page.visibleTo?.(me) ?? true).map((page) => ({
        key: page.path,
        to: page.path,
        name: page.name,
        icon: arrow,
      })),
      ...(projects.data ?? [])
        .filter((project) => project.id !== projectId)
        .map((project) => ({
          key: project.id,
          to: `/p/${project.id}/memory`,
          name: project.name,
          about: "project",
          icon: arrow,
        })),
    ];
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    return all
      .filter((option) =>
        words.every((word) => `${option.name} ${option.about ?? ""}`.toLowerCase().includes(word)),
      )
      .slice(0, 8);
  }, [me, projects.data, projectId, typed]);
}

function useMemoryOptions(projectId: string | null, typed: string) {
  const [query] = useDebouncedValue(typed.trim(), 200);
  const found = useGet(
    "/api/v2/search",
    { query: { projectId: projectId ?? "", q: query, limit: 6, minSimilarity: 0.3, in: "all" } },
    { enabled: projectId !== null && query.length > 2, keepPrevious: true },
  );
  const shown = query.length > 2 && typed.trim().length > 2;
  const items: Option[] = (shown ? (found.data?.results ?? []) : []).map((result) => ({
    key: result.itemId,
    to: `/p/${projectId}/memory/${result.itemId}`,
    name: result.title,
    about: result.type,
    icon: <IconFileText size={16} />,
  }));
  const turns: Option[] = (shown ? (found.data?.turns ?? []) : []).map((turn) => ({
    key: turn.turnId,
    to: `/p/${projectId}/sessions/${turn.sessionId}`,
    name: turn.excerpt,
    about: [formatRelative(turn.saidAt), sourceName(turn.agent)].filter(Boolean).join(", "),
    icon: <IconMessage size={16} />,
  }));
  return { items, turns, busy: found.isFetching };
}

export function CommandPalette({ projectId }: { projectId: string | null }) {
  const [opened, dialog] = useDisclosure(false);
  const [typed, setTyped] = useState("");
  const [index, setIndex] = useState(0);
  const [, go] = useLocation();
  useHotkeys([["mod+K", dialog.open]], []);
  useEffect(() => {
    openRequests.addEventListener("open", dialog.open);
    return () => openRequests.removeEventListener("open", dialog.open);
  }, [dialog.open]);
  const pages = usePageOptions(projectId, typed);
  const memories = useMemoryOptions(projectId, typed);
  const options = [...pages, ...memories.items, ...memories.turns];
  const firstTurn = options.length - memories.turns.length;
  const active = Math.min(index, options.length - 1);
  const choose = (option: Option | undefined) => {
    if (!option) return;
    dialog.close();
    setTyped("");
    setIndex(0);
    go(option.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setIndex((options.length + active + step) % Math.max(1, options.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(options[active]);
    }
  };
  return (
    <Modal
      opened={opened}
      onClose={dialog.close}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="10vh"
      title={null}
      attributes={{ content: { "aria-label": "Search or jump to" } }}
    >
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className={classes.input}
        leftSection={<IconSearch size={18} />}
        rightSection={memories.busy ? <Loader size="xs" /> : null}
        placeholder="Search pages, projects and memories"
        aria-label="Search or jump to"
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls="palette-options"
        aria-activedescendant={options.length > 0 ? `palette-${active}` : undefined}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ScrollArea.Autosize mah="60vh" type="auto">
        <div role="listbox" id="palette-options" aria-label="Results" className={classes.options}>
          {options.map((option, position) => (
            <Fragment key={option.key}>
              {position === firstTurn && (
                <div role="presentation" className={classes.section}>
                  Sessions and commits (unreviewed)
                </div>
              )}
              <UnstyledButton
                id={`palette-${position}`}
                role="option"
                tabIndex={-1}
                aria-selected={position === active}
                className={classes.option}
                onClick={() => choose(option)}
                onMouseMove={() => setIndex(position)}
              >
                {option.icon}
                <span className={classes.name}>{option.name}</span>
                {option.about && <span className={classes.about}>{option.about}</span>}
              </UnstyledButton>
            </Fragment>
          ))}
        </div>
        {options.length === 0 && (
          <Text c="dimmed" size="sm" p="md">
            No results. Try another name or keyword.
          </Text>
        )}
      </ScrollArea.Autosize>
    </Modal>
  );
}
