import { Button, Center, Group, Loader, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPencilPlus, IconStack2, IconZoomQuestion } from "@tabler/icons-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { applyPending, usePendingChanges, useItemList } from "~/api/items";
import type { Item } from "~/api/types";
import { Kbd, useShortcuts } from "~/parts/shortcuts";
import { EmptyState, Page, ErrorAlert } from "~/parts/Page";
import { formatNumber } from "~/parts/format";
import { ConnectAgent, useCanWrite, useProject } from "~/shell/project";
import { useItemActions } from "../item/statusChanges";
import { BulkActions } from "./BulkActions";
import { useSelection } from "./selection";
import { FilterBar } from "./FilterBar";
import { toQuery, countFilters, NO_FILTERS, useFilters, type Filters } from "./filters";
import { SearchResults } from "./SearchResults";
import { MemoryList } from "./MemoryList";
import { NewMemoryDialog } from "./NewMemoryDialog";
import classes from "./memory.module.css";

function ShortcutHints({ canWrite }: { canWrite: boolean }) {
  return (
    <div className={classes.shortcuts} role="group" aria-label="Keyboard shortcuts">
      <span>
        <Kbd>j</Kbd> <Kbd>k</Kbd> move
      </span>
      <span>
        <Kbd>Enter</Kbd> open
      </span>
      {canWrite && (
        <>
          <span>
            <Kbd>x</Kbd> select
          </span>
          <span>
            <Kbd>a</Kbd> approve
          </span>
          <span>
            <Kbd>d</Kbd> deprecate
          </span>
          <span>
            <Kbd>Del</Kbd> delete
          </span>
        </>
      )}
      <span>
        <Kbd>/</Kbd> search
      </span>
    </div>
  );
}

function NoMemories({ filters, clear }: { filters: Filters; clear: () => void }) {
  if (filters.q || countFilters(filters) > 0)
    return (
      <EmptyState
        icon={<IconZoomQuestion size={40} />}
        title="No matching memories"
        action={
          <Button variant="default" onClick={clear}>
            Clear filters
          </Button>
        }
      >
        Keyword search matches memories that contain every word. Try semantic search to find other wordings.
      </EmptyState>
    );
  return (
    <EmptyState icon={<IconStack2 size={40} />} title="No memories yet" action={<ConnectAgent />}>
      Memories from your agents appear here: decisions, conventions and how things work, each with its
      evidence.
    </EmptyState>
  );
}

function MemoryBrowser({
  filters,
  clear,
  focusSearch,
}: {
  filters: Filters;
  clear: () => void;
  focusSearch: () => void;
}) {
  const project = useProject();
  const canWrite = useCanWrite();
  const itemActions = useItemActions();
  const query = useMemo(() => toQuery(project.id, filters), [project.id, filters]);
  const list = useItemList(query);
  const pending = usePendingChanges();
  const { status } = filters;
  const items = useMemo(
    () => applyPending(list.items, pending).filter((item) => !status || item.status === status),
    [list.items, pending, status],
  );
  const total = list.hasMore
    ? Math.max(items.length, (list.total ?? 0) - (list.items.length - items.length))
    : items.length;
  const { selected, select, selectAll, clear: clearSelection } = useSelection(items);
  const [active, setActive] = useState(-1);
  const [focusRequests, setFocusRequests] = useState(0);
  const { visibleRange } = list;
  const onVisible = useCallback(
    (first: number, last: number) => {
      visibleRange.current = [first, last];
    },
    [visibleRange],
  );
  const { loadMore } = list;
  const loadNext = useCallback(() => void loadMore(), [loadMore]);
  const selectAt = useCallback(
    (index: number, range: boolean) => {
      setActive(index);
      select(index, range);
    },
    [select],
  );
  const step = (by: number) => {
    if (items.length === 0) return;
    setActive((index) => Math.max(0, Math.min(items.length - 1, index + by)));
    setFocusRequests((number) => number + 1);
  };
  /** The selected items, or the active row if none are selected. */
  const targets = (): Item[] => {
    if (selected.size > 0) return items.filter((item) => selected.has(item.id));
    const here = items[active];
    return here ? [here] : [];
  };
  const act = (action: (items: Item[]) => void) => {
    const affected = targets();
    if (!canWrite || affected.length === 0) return;
    action(affected);
    clearSelection();
  };
  const approve = () => act((items) => itemActions.setStatus(items, "approved"));
  const deprecate = () => act((items) => itemActions.setStatus(items, "deprecated"));
  const remove = () => act(itemActions.remove);
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    x: () => canWrite && active >= 0 && select(active, false),
    a: approve,
    d: deprecate,
    Delete: remove,
    Escape: clearSelection,
    "/": focusSearch,
  });
  if (list.error && items.length === 0)
    return <ErrorAlert error={list.error} retry={() => void list.refetch()} />;
  if (list.isLoading)
    return (
      <Center py="xl">
        <Loader size="sm" role="status" aria-label="Loading" />
      </Center>
    );
  return (
    <>
      <Group justify="space-between" mb="xs" className={classes.toolbar}>
        <Text size="sm" c="dimmed" role="status">
          {formatNumber(total)} {total === 1 ? "memory" : "memories"}
        </Text>
        <ShortcutHints canWrite={canWrite} />
      </Group>
      {items.length === 0 && !list.hasMore && <NoMemories filters={filters} clear={clear} />}
      {(items.length > 0 || list.hasMore) && (
        <div aria-busy={list.isPlaceholder} className={list.isPlaceholder ? classes.stale : undefined}>
          <MemoryList
            items={items}
            total={total}
            active={active}
            focusRequests={focusRequests}
            selected={selected}
            canWrite={canWrite}
            select={selectAt}
            hasMore={list.hasMore}
            more={list.loadMoreState}
            loadMore={loadNext}
            onVisible={onVisible}
          />
        </div>
      )}
      <BulkActions
        selected={selected.size}
        loaded={items.length}
        approve={approve}
        deprecate={deprecate}
        remove={remove}
        selectAll={selectAll}
        clear={clearSelection}
      />
    </>
  );
}

export default function Memory() {
  const project = useProject();
  const canWrite = useCanWrite();
  const [filters, change] = useFilters();
  const [dialogOpen, dialog] = useDisclosure(false);
  const searchRef = useRef<HTMLInputElement>(null);
  const focusSearch = useCallback(() => searchRef.current?.focus(), []);
  const clear = useCallback(() => change(NO_FILTERS), [change]);
  return (
    <Page
      wide
      title="Memory"
      about={`Search and filter all memories in ${project.name}.`}
      actions={
        canWrite && (
          <Button leftSection={<IconPencilPlus size={16} />} onClick={dialog.open}>
            New memory
          </Button>
        )
      }
    >
      <FilterBar filters={filters} change={change} searchRef={searchRef} />
      {filters.mode === "semantic" ? (
        <SearchResults projectId={project.id} filters={filters} />
      ) : (
        <MemoryBrowser filters={filters} clear={clear} focusSearch={focusSearch} />
      )}
      <NewMemoryDialog projectId={project.id} opened={dialogOpen} close={dialog.close} />
    </Page>
  );
}
