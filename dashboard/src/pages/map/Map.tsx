import { Button, Tabs } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconMapOff, IconMapPin, IconPlus, IconSitemap } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useLocation, useParams } from "wouter";
import { Code } from "~/parts/Copy";
import { Empty, Loaded, Page } from "~/parts/Page";
import { amount } from "~/parts/Time";
import { useMayWrite, useProject } from "~/shell/project";
import { useMap, useMayChange } from "./contexts";
import { Delete } from "./Delete";
import { Detail, type Dialog, type View } from "./Detail";
import { MoveTo } from "./MoveTo";
import { useMoving } from "./moving";
import { NewContext } from "./NewContext";
import { Picture } from "./Picture";
import { treeOf, type Node, type Place } from "./places";
import { Tree } from "./Tree";
import { draftOf, isDirty, Writing, type Draft } from "./Writing";
import classes from "./map.module.css";

/** What was written and not saved when the page was left: it is there when one comes back. */
let unsaved: Draft | null = null;

function useDraft() {
  const [draft, set] = useState<Draft | null>(() => unsaved);
  const setDraft = useCallback((now: Draft | null) => {
    unsaved = now && isDirty(now) ? now : null;
    set(now);
  }, []);
  return [draft, setDraft] as const;
}

function NoContexts({ mayAdd, add }: { mayAdd: boolean; add: () => void }) {
  return (
    <Empty
      icon={<IconSitemap size={40} />}
      title="Nothing is on the map yet"
      action={
        mayAdd && (
          <Button leftSection={<IconPlus size={16} />} onClick={add}>
            New context
          </Button>
        )
      }
    >
      A context is a page about one part of the code, such as root/checkout. Sessions and Genesis draft them;
      people approve them. To read a repository and have its map drawn:
      <Code>loremark scan</Code>
    </Empty>
  );
}

/** None is chosen, or one that is not there. */
function NoneChosen({ wrong }: { wrong: boolean }) {
  return (
    <Empty
      icon={wrong ? <IconMapOff size={36} /> : <IconMapPin size={36} />}
      title={wrong ? "There is no such context" : "Choose a context"}
    >
      {wrong
        ? "It was deleted, or it belongs to another project."
        : "In the tree (arrow keys and Enter) or in the picture. Drag one in the tree to hang it elsewhere."}
    </Empty>
  );
}

type Pane = "tree" | "picture" | "context";

function Shown({ places, add }: { places: Place[]; add: (above: Node | null) => void }) {
  const project = useProject();
  const { contextId } = useParams<{ contextId?: string }>();
  const [, go] = useLocation();
  const mayChange = useMayChange();
  const mayWrite = useMayWrite();
  const moving = useMoving();
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  const tree = useMemo(() => treeOf(places), [places]);
  const node = contextId ? tree.byId.get(contextId) : undefined;
  const [pane, setPane] = useState<Pane>(contextId ? "context" : "tree");
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [view, setView] = useState<View>("text");
  const [draft, setDraft] = useDraft();
  const base = `/p/${project.id}/map`;
  const select = (id: string) => go(`${base}/${id}`);
  useEffect(() => {
    if (contextId) setPane("context");
  }, [contextId]);
  const reopen = (now: Draft) => {
    select(now.base.context.id);
    setDraft(now);
  };
  if (draft && tree.byId.has(draft.base.context.id))
    return <Writing draft={draft} setDraft={setDraft} close={() => setDraft(null)} reopen={reopen} />;
  const move = (moved: Node, target: Node | null) => void moving(moved, target);
  const choose = (id: string) => {
    select(id);
    setPane("context");
  };
  const shownTree = (
    <Tree
      tree={tree}
      selected={node?.place.id ?? null}
      select={choose}
      mayMove={(one) => mayChange(one.place)}
      move={move}
    />
  );
  const picture = <Picture tree={tree} selected={node?.place.id ?? null} select={choose} />;
  const close = () => setDialog(null);
  const detail = node ? (
    <>
      <Detail
        node={node}
        view={view}
        setView={setView}
        edit={(read) => setDraft(draftOf(read))}
        open={(wanted) => (wanted === "new" ? add(node) : setDialog(wanted))}
        mayAdd={mayWrite || mayChange(node.place)}
      />
      <MoveTo
        key={`move-${node.place.id}`}
        node={node}
        tree={tree}
        opened={dialog === "move"}
        close={close}
        move={move}
      />
      <Delete
        node={node}
        opened={dialog === "delete"}
        close={close}
        gone={() => go(node.above ? `${base}/${node.above.place.id}` : base, { replace: true })}
      />
    </>
  ) : (
    <NoneChosen wrong={contextId !== undefined} />
  );
  if (narrow)
    return (
      <Tabs value={pane} onChange={(chosen) => chosen && setPane(chosen as Pane)} keepMounted={false}>
        <Tabs.List grow mb="md">
          <Tabs.Tab value="tree">Tree</Tabs.Tab>
          <Tabs.Tab value="picture">Picture</Tabs.Tab>
          <Tabs.Tab value="context">Context</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tree">{shownTree}</Tabs.Panel>
        <Tabs.Panel value="picture">{picture}</Tabs.Panel>
        <Tabs.Panel value="context">{detail}</Tabs.Panel>
      </Tabs>
    );
  return (
    <div className={classes.map}>
      <div className={classes.side}>{shownTree}</div>
      <div className={classes.main}>
        {picture}
        {detail}
      </div>
    </div>
  );
}

export default function MapPage() {
  const project = useProject();
  const map = useMap(project.id);
  const mayAdd = useMayWrite();
  const [, go] = useLocation();
  const [above, setAbove] = useState<Node | null | undefined>(undefined);
  const whole = map.data?.reduce((sum, place) => sum + place.tokens, 0) ?? 0;
  return (
    <Page
      wide
      title="Map"
      about={
        map.data?.length
          ? `${amount(map.data.length, "context")} with ${amount(whole, "token")}: what is known, part by part.`
          : "What is known, part by part."
      }
      actions={
        mayAdd && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setAbove(null)}>
            New context
          </Button>
        )
      }
    >
      <Loaded of={map}>
        {(places) =>
          places.length > 0 ? (
            <Shown places={places} add={setAbove} />
          ) : (
            <NoContexts mayAdd={mayAdd} add={() => setAbove(null)} />
          )
        }
      </Loaded>
      <NewContext
        key={above?.place.id ?? "top"}
        above={above ?? null}
        opened={above !== undefined}
        close={() => setAbove(undefined)}
        made={(id) => go(`/p/${project.id}/map/${id}`)}
      />
    </Page>
  );
}
