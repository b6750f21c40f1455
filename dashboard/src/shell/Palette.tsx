import { Loader, Modal, ScrollArea, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconArrowRight, IconFileText, IconSearch } from "@tabler/icons-react";
import { useEffect, useMemo, useState, type KeyboardEvent, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useGet } from "~/api/hooks";
import { useMe } from "./login";
import { OF_PROJECT, OF_TEAM } from "./pages";
import { useProjects } from "./project";
import classes from "./palette.module.css";

const opening = new EventTarget();
export const openPalette = () => opening.dispatchEvent(new Event("open"));

interface Choice {
  to: string;
  name: string;
  about?: string;
  icon: ReactNode;
}

/** Every page and project by a few letters of its name. */
function useWays(projectId: string | null, typed: string): Choice[] {
  const me = useMe();
  const projects = useProjects();
  return useMemo(() => {
    const near = projects.data?.find((one) => one.id === projectId);
    const arrow = <IconArrowRight size={16} />;
    const all: Choice[] = [
      ...(near
        ? OF_PROJECT.map((place) => ({
            to: `/p/${near.id}/${place.path}`,
            name: place.name,
            about: near.name,
            icon: arrow,
          }))
        : []),
      ...OF_TEAM.filter((place) => place.open?.(me) ?? true).map((place) => ({
        to: place.path,
        name: place.name,
        icon: arrow,
      })),
      ...(projects.data ?? [])
        .filter((one) => one.id !== projectId)
        .map((one) => ({ to: `/p/${one.id}/memory`, name: one.name, about: "project", icon: arrow })),
    ];
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    return all
      .filter((one) => words.every((word) => `${one.name} ${one.about ?? ""}`.toLowerCase().includes(word)))
      .slice(0, 8);
  }, [me, projects.data, projectId, typed]);
}

function useMemories(projectId: string | null, typed: string) {
  const [asked] = useDebouncedValue(typed.trim(), 200);
  const found = useGet(
    "/api/v2/search",
    { query: { projectId: projectId ?? "", q: asked, limit: 6, minSimilarity: 0.3 } },
    { enabled: projectId !== null && asked.length > 2, keep: true },
  );
  const choices: Choice[] =
    asked.length > 2 && typed.trim().length > 2
      ? (found.data?.results ?? []).map((one) => ({
          to: `/p/${projectId}/memory/${one.itemId}`,
          name: one.title,
          about: one.type,
          icon: <IconFileText size={16} />,
        }))
      : [];
  return { choices, busy: found.isFetching };
}

export function Palette({ projectId }: { projectId: string | null }) {
  const [opened, dialog] = useDisclosure(false);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  useHotkeys([["mod+K", dialog.open]], []);
  useEffect(() => {
    opening.addEventListener("open", dialog.open);
    return () => opening.removeEventListener("open", dialog.open);
  }, [dialog.open]);
  const ways = useWays(projectId, typed);
  const memories = useMemories(projectId, typed);
  const choices = [...ways, ...memories.choices];
  const chosen = Math.min(at, choices.length - 1);
  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    dialog.close();
    setTyped("");
    setAt(0);
    go(choice.to);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((choices.length + chosen + step) % Math.max(1, choices.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      take(choices[chosen]);
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
      attributes={{ content: { "aria-label": "Find or go to" } }}
    >
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className={classes.input}
        leftSection={<IconSearch size={18} />}
        rightSection={memories.busy ? <Loader size="xs" /> : null}
        placeholder="A page, a project, or a question to the memory"
        aria-label="Find or go to"
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls="palette-choices"
        aria-activedescendant={choices.length > 0 ? `palette-${chosen}` : undefined}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <ScrollArea.Autosize mah="60vh" type="auto">
        <div role="listbox" id="palette-choices" aria-label="Choices" className={classes.choices}>
          {choices.map((choice, place) => (
            <UnstyledButton
              key={`${choice.to} ${choice.name}`}
              id={`palette-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === chosen}
              className={classes.choice}
              onClick={() => take(choice)}
              onMouseMove={() => setAt(place)}
            >
              {choice.icon}
              <span className={classes.name}>{choice.name}</span>
              {choice.about && <span className={classes.about}>{choice.about}</span>}
            </UnstyledButton>
          ))}
        </div>
        {choices.length === 0 && (
          <Text c="dimmed" size="sm" p="md">
            Nothing of that name.
          </Text>
        )}
      </ScrollArea.Autosize>
    </Modal>
  );
}
