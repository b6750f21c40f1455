import { Button, Center, Group, Loader, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPencilPlus, IconStack2, IconZoomQuestion } from "@tabler/icons-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { foretold, useFates, useItemList } from "~/api/items";
import type { Item } from "~/api/types";
import { Code } from "~/parts/Copy";
import { Key, useKeys } from "~/parts/keys";
import { Empty, Page, Problem } from "~/parts/Page";
import { count } from "~/parts/Time";
import { useMayWrite, useProject } from "~/shell/project";
import { useJudging } from "../item/judging";
import { Bulk } from "./Bulk";
import { useChosen } from "./choosing";
import { FilterBar } from "./FilterBar";
import { asQuery, narrowed, NOTHING, useFilters, type Filters } from "./filters";
import { Found } from "./Found";
import { List } from "./List";
import { Write } from "./Write";
import classes from "./memory.module.css";

function Help({ mayWrite }: { mayWrite: boolean }) {
  return (
    <div className={classes.help} aria-label="Keys">
      <span>
        <Key>j</Key> <Key>k</Key> move
      </span>
      <span>
        <Key>Enter</Key> open
      </span>
      {mayWrite && (
        <>
          <span>
            <Key>x</Key> select
          </span>
          <span>
            <Key>a</Key> approve
          </span>
          <span>
            <Key>d</Key> deprecate
          </span>
          <span>
            <Key>Del</Key> delete
          </span>
        </>
      )}
      <span>
        <Key>/</Key> search
      </span>
    </div>
  );
}

function Nothing({ filters, clear }: { filters: Filters; clear: () => void }) {
  if (filters.q || narrowed(filters) > 0)
    return (
      <Empty
        icon={<IconZoomQuestion size={40} />}
        title="Nothing fits all of that"
        action={
          <Button variant="default" onClick={clear}>
            Clear all filters
          </Button>
        }
      >
        Every word has to occur in a title, a text, a schema key or a path. Search by meaning finds what was
        said in other words.
      </Empty>
    );
  return (
    <Empty icon={<IconStack2 size={40} />} title="Nothing is remembered yet">
      What your agents learn will stand here: decisions, conventions, how things work, and the words they rest
      on. Link the folder of the project, then work as always.
      <Code label="Copy the command">loremark init</Code>
    </Empty>
  );
}

function Listed({ filters, clear, focusBox }: { filters: Filters; clear: () => void; focusBox: () => void }) {
  const project = useProject();
  const mayWrite = useMayWrite();
  const judging = useJudging();
  const query = useMemo(() => asQuery(project.id, filters), [project.id, filters]);
  const list = useItemList(query);
  const fates = useFates();
  const { status } = filters;
  const items = useMemo(
    () => foretold(list.items, fates).filter((item) => !status || item.status === status),
    [list.items, fates, status],
  );
  const total = list.hasMore
    ? Math.max(items.length, (list.total ?? 0) - (list.items.length - items.length))
    : items.length;
  const { chosen, select, all, none } = useChosen(items);
  const [active, setActive] = useState(-1);
  const [steps, setSteps] = useState(0);
  const { sight } = list;
  const seen = useCallback(
    (first: number, last: number) => {
      sight.current = [first, last];
    },
    [sight],
  );
  const { loadMore } = list;
  const more = useCallback(() => void loadMore(), [loadMore]);
  const pick = useCallback(
    (place: number, range: boolean) => {
      setActive(place);
      select(place, range);
    },
    [select],
  );
  const step = (by: number) => {
    if (items.length === 0) return;
    setActive((place) => Math.max(0, Math.min(items.length - 1, place + by)));
    setSteps((number) => number + 1);
  };
  /** The selected ones; without any, the one the keyboard is at. */
  const meant = (): Item[] => {
    if (chosen.size > 0) return items.filter((item) => chosen.has(item.id));
    const here = items[active];
    return here ? [here] : [];
  };
  const act = (what: (meant: Item[]) => void) => {
    const those = meant();
    if (!mayWrite || those.length === 0) return;
    what(those);
    none();
  };
  const approve = () => act((those) => judging.judge(those, "approved"));
  const deprecate = () => act((those) => judging.judge(those, "deprecated"));
  const remove = () => act(judging.remove);
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => mayWrite && active >= 0 && select(active, false),
    a: approve,
    d: deprecate,
    Delete: remove,
    Escape: none,
    "/": focusBox,
  });
  if (list.error && items.length === 0)
    return <Problem error={list.error} retry={() => void list.refetch()} />;
  if (list.isLoading)
    return (
      <Center py="xl">
        <Loader size="sm" aria-label="Loading" />
      </Center>
    );
  return (
    <>
      <Group justify="space-between" mb="xs" className={classes.above}>
        <Text size="sm" c="dimmed" role="status">
          {count(total)} {total === 1 ? "memory" : "memories"}
        </Text>
        <Help mayWrite={mayWrite} />
      </Group>
      {items.length === 0 && !list.hasMore && <Nothing filters={filters} clear={clear} />}
      {(items.length > 0 || list.hasMore) && (
        <div aria-busy={list.isOld} className={list.isOld ? classes.old : undefined}>
          <List
            items={items}
            total={total}
            active={active}
            steps={steps}
            chosen={chosen}
            mayWrite={mayWrite}
            select={pick}
            hasMore={list.hasMore}
            more={list.more}
            loadMore={more}
            seen={seen}
          />
        </div>
      )}
      <Bulk
        chosen={chosen.size}
        loaded={items.length}
        approve={approve}
        deprecate={deprecate}
        remove={remove}
        all={all}
        none={none}
      />
    </>
  );
}

export default function Memory() {
  const project = useProject();
  const mayWrite = useMayWrite();
  const [filters, change] = useFilters();
  const [writing, dialog] = useDisclosure(false);
  const box = useRef<HTMLInputElement>(null);
  const focusBox = useCallback(() => box.current?.focus(), []);
  const clear = useCallback(() => change(NOTHING), [change]);
  return (
    <Page
      wide
      title="Memory"
      about={`All that is known of ${project.name}.`}
      actions={
        mayWrite && (
          <Button leftSection={<IconPencilPlus size={16} />} onClick={dialog.open}>
            Write a memory
          </Button>
        )
      }
    >
      <FilterBar filters={filters} change={change} box={box} />
      {filters.way === "meaning" ? (
        <Found projectId={project.id} filters={filters} />
      ) : (
        <Listed filters={filters} clear={clear} focusBox={focusBox} />
      )}
      <Write projectId={project.id} opened={writing} close={dialog.close} />
    </Page>
  );
}
