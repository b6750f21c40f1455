import { Button, Tabs } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconMapOff, IconMapPin, IconPlus, IconSitemap } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useLocation, useParams } from "wouter";
import { CodeBlock } from "~/parts/Copy";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { pluralize } from "~/parts/format";
import { useCanWrite, useProject } from "~/shell/project";
import { useMap, useCanChange } from "./contexts";
import { DeleteDialog } from "./DeleteDialog";
import { ContextDetail, type Dialog, type View } from "./ContextDetail";
import { MoveDialog } from "./MoveDialog";
import { useMoveContext } from "./moveContext";
import { NewContextDialog } from "./NewContextDialog";
import { Treemap } from "./Treemap";
import { buildTree, type Node, type MapContext } from "./contextTree";
import { Tree } from "./Tree";
import { toDraft, isDirty, ContextEditor, type Draft } from "./ContextEditor";
import classes from "./map.module.css";

/** Unsaved changes survive leaving the page and are restored on return. */
let unsavedDraft: Draft | null = null;

function useDraft() {
  const [draft, set] = useState<Draft | null>(() => unsavedDraft);
  const setDraft = useCallback((now: Draft | null) => {
    unsavedDraft = now && isDirty(now) ? now : null;
    set(now);
  }, []);
  return [draft, setDraft] as const;
}

function NoContexts({ canAdd, add }: { canAdd: boolean; add: () => void }) {
  return (
    <EmptyState
      icon={<IconSitemap size={40} />}
      title="No contexts yet"
      action={
        canAdd && (
          <Button leftSection={<IconPlus size={16} />} onClick={add}>
            New context
          </Button>
        )
      }
    >
      A context is a page about one part of the code, such as root/checkout. Agents and Genesis scans draft
      contexts for you to approve. To draft them from a local checkout, run:
      <CodeBlock>loremark scan</CodeBlock>
    </EmptyState>
  );
}

function NothingSelected({ notFound }: { notFound: boolean }) {
  return (
    <EmptyState
      icon={notFound ? <IconMapOff size={36} /> : <IconMapPin size={36} />}
      title={notFound ? "Context not found" : "Select a context"}
    >
      {notFound
        ? "It was deleted or belongs to another project."
        : "Use the tree (arrow keys and Enter) or the treemap. Drag a context in the tree to move it."}
    </EmptyState>
  );
}

type Pane = "tree" | "treemap" | "context";

function MapView({ contexts, add }: { contexts: MapContext[]; add: (above: Node | null) => void }) {
  const project = useProject();
  const { contextId } = useParams<{ contextId?: string }>();
  const [, navigate] = useLocation();
  const canChange = useCanChange();
  const canWrite = useCanWrite();
  const moveContext = useMoveContext();
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  const tree = useMemo(() => buildTree(contexts), [contexts]);
  const node = contextId ? tree.byId.get(contextId) : undefined;
  const [pane, setPane] = useState<Pane>(contextId ? "context" : "tree");
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [view, setView] = useState<View>("text");
  const [draft, setDraft] = useDraft();
  const base = `/p/${project.id}/map`;
  const select = (id: string) => navigate(`${base}/${id}`);
  useEffect(() => {
    if (contextId) setPane("context");
  }, [contextId]);
  const reopen = (now: Draft) => {
    select(now.base.context.id);
    setDraft(now);
  };
  if (draft && tree.byId.has(draft.base.context.id))
    return <ContextEditor draft={draft} setDraft={setDraft} close={() => setDraft(null)} reopen={reopen} />;
  const move = (moved: Node, target: Node | null) => void moveContext(moved, target);
  const choose = (id: string) => {
    select(id);
    setPane("context");
  };
  const treePane = (
    <Tree
      tree={tree}
      selected={node?.context.id ?? null}
      select={choose}
      canMove={({ context }) => canChange(context)}
      move={move}
    />
  );
  const treemap = <Treemap tree={tree} selected={node?.context.id ?? null} select={choose} />;
  const close = () => setDialog(null);
  const detail = node ? (
    <>
      <ContextDetail
        node={node}
        view={view}
        setView={setView}
        edit={(read) => setDraft(toDraft(read))}
        open={(dialog) => (dialog === "new" ? add(node) : setDialog(dialog))}
        canAdd={canWrite || canChange(node.context)}
      />
      <MoveDialog
        key={`move-${node.context.id}`}
        node={node}
        tree={tree}
        opened={dialog === "move"}
        close={close}
        move={move}
      />
      <DeleteDialog
        node={node}
        opened={dialog === "delete"}
        close={close}
        onDeleted={() =>
          navigate(node.parent ? `${base}/${node.parent.context.id}` : base, { replace: true })
        }
      />
    </>
  ) : (
    <NothingSelected notFound={contextId !== undefined} />
  );
  if (narrow)
    return (
      <Tabs value={pane} onChange={(chosen) => chosen && setPane(chosen as Pane)} keepMounted={false}>
        <Tabs.List grow mb="md">
          <Tabs.Tab value="tree">Tree</Tabs.Tab>
          <Tabs.Tab value="treemap">Treemap</Tabs.Tab>
          <Tabs.Tab value="context">Context</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tree">{treePane}</Tabs.Panel>
        <Tabs.Panel value="treemap">{treemap}</Tabs.Panel>
        <Tabs.Panel value="context">{detail}</Tabs.Panel>
      </Tabs>
    );
  return (
    <div className={classes.map}>
      <div className={classes.side}>{treePane}</div>
      <div className={classes.main}>
        {treemap}
        {detail}
      </div>
    </div>
  );
}

export default function MapPage() {
  const project = useProject();
  const map = useMap(project.id);
  const canAdd = useCanWrite();
  const [, navigate] = useLocation();
  const [newParent, setNewParent] = useState<Node | null | undefined>(undefined);
  const totalTokens = map.data?.reduce((sum, context) => sum + context.tokens, 0) ?? 0;
  return (
    <Page
      wide
      title="Map"
      about={
        map.data?.length
          ? `${pluralize(map.data.length, "context")} with ${pluralize(totalTokens, "token")}, organized by part of the codebase.`
          : "Project knowledge, organized by part of the codebase."
      }
      actions={
        canAdd && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setNewParent(null)}>
            New context
          </Button>
        )
      }
    >
      <Loaded query={map}>
        {(contexts) =>
          contexts.length > 0 ? (
            <MapView contexts={contexts} add={setNewParent} />
          ) : (
            <NoContexts canAdd={canAdd} add={() => setNewParent(null)} />
          )
        }
      </Loaded>
      <NewContextDialog
        key={newParent?.context.id ?? "top"}
        parent={newParent ?? null}
        opened={newParent !== undefined}
        close={() => setNewParent(undefined)}
        onCreated={(id) => navigate(`/p/${project.id}/map/${id}`)}
      />
    </Page>
  );
}
