import { ActionIcon, Button, Group } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useMemo, useState, type KeyboardEvent } from "react";
import { pluralize, formatNumber } from "~/parts/format";
import { layout, neighborCell, type Cell } from "./treemapLayout";
import { HEALTH, pathTo, describeHealth, type Node, type Tree } from "./contextTree";
import healthClasses from "./health.module.css";
import classes from "./treemap.module.css";

interface Props {
  tree: Tree;
  selected: string | null;
  select: (id: string) => void;
}

const describeCell = ({ node, nested }: Cell) =>
  node &&
  [
    node.context.name,
    `${formatNumber(node.tokens)} tokens`,
    describeHealth(node.context),
    nested > 0 ? pluralize(nested, "nested context") : "",
    node.context.projectId === null ? "for the whole team" : "",
  ]
    .filter(Boolean)
    .join(", ");

const hasRoom = ({ width, height }: Cell) => width >= 52 && height >= 22;

function Label({ cell }: { cell: Cell }) {
  const { node, kind, width, height, nested } = cell;
  if (!hasRoom(cell)) return null;
  if (!node) return <span className={classes.name}>{formatNumber(nested)} more</span>;
  const name = kind === "own" ? "own text" : node.context.name;
  const tokens = kind === "own" ? node.context.tokens : node.tokens;
  if (kind === "group")
    return (
      <>
        <span className={classes.name}>
          <span
            aria-hidden
            className={`${healthClasses.swatch} ${healthClasses[cell.health]} ${classes.groupMark}`}
          />
          {name}
        </span>
        {width > 190 && <span className={classes.more}>{formatNumber(tokens)}</span>}
      </>
    );
  return (
    <>
      <span className={classes.name}>{name}</span>
      {height >= 44 && width >= 84 && (
        <span className={classes.more}>
          {width >= 120 ? pluralize(tokens, "token") : formatNumber(tokens)}
        </span>
      )}
      {height >= 64 && width >= 110 && kind === "leaf" && (
        <span className={classes.more}>
          {nested > 0 ? `${formatNumber(nested)} nested` : describeHealth(node.context)}
        </span>
      )}
    </>
  );
}

/** Breadcrumbs and zoom buttons. */
function Breadcrumbs({
  shown,
  zoomTo,
  zoomTarget,
}: {
  shown: Node | null;
  zoomTo: (node: Node | null) => void;
  zoomTarget: Node | null;
}) {
  const path = shown ? pathTo(shown) : [];
  return (
    <Group justify="space-between" gap="xs" mih={36} wrap="nowrap">
      <nav aria-label="Treemap location" className={classes.breadcrumbs}>
        {shown ? (
          <Button size="compact-sm" variant="subtle" onClick={() => zoomTo(null)}>
            All contexts
          </Button>
        ) : (
          <span className={classes.current} aria-current="true">
            All contexts
          </span>
        )}
        {path.map((node) => (
          <span key={node.context.id} className={classes.breadcrumb}>
            <span aria-hidden>/</span>
            {node === shown ? (
              <span className={classes.current} aria-current="true">
                {node.context.name}
              </span>
            ) : (
              <Button size="compact-sm" variant="subtle" onClick={() => zoomTo(node)}>
                {node.context.name}
              </Button>
            )}
          </span>
        ))}
      </nav>
      <Group gap={4} wrap="nowrap">
        <span className={classes.hint}>Double-click or press + to zoom in</span>
        {zoomTarget && (
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Zoom into ${zoomTarget.context.name}`}
            title={`Zoom into ${zoomTarget.context.name}`}
            onClick={() => zoomTo(zoomTarget)}
          >
            <IconZoomIn size={18} />
          </ActionIcon>
        )}
        {shown && (
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Zoom out"
            title="Zoom out"
            onClick={() => zoomTo(shown.parent)}
          >
            <IconZoomOut size={18} />
          </ActionIcon>
        )}
      </Group>
    </Group>
  );
}

/** Contexts as a treemap: size shows the token count, color and pattern the health. */
export function Treemap({ tree, selected, select }: Props) {
  const { ref, width, height } = useElementSize();
  const [zoomed, setZoomed] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const shown = (zoomed && tree.byId.get(zoomed)) || null;
  const cells = useMemo(() => layout(tree.roots, shown, width, height), [tree, shown, width, height]);
  const focusable = cells.filter((cell) => cell.kind === "group" || cell.kind === "leaf");
  const selectedNode = selected ? tree.byId.get(selected) : undefined;
  const path = selectedNode ? pathTo(selectedNode) : [];
  // If the selected context is too deep to be drawn, highlight its nearest visible ancestor.
  const highlighted = path.findLast((node) => focusable.some((cell) => cell.node === node));
  const tabStop =
    focusable.find((cell) => cell.key === focused) ??
    focusable.find((cell) => cell.node === highlighted) ??
    focusable[0];
  const zoomTo = (node: Node | null) => {
    setZoomed(node?.context.id ?? null);
    setFocused(null);
  };
  const onKeyDown = (event: KeyboardEvent, cell: Cell) => {
    const next = neighborCell(focusable, cell, event.key);
    if (next) {
      setFocused(next.key);
      const fields = event.currentTarget.parentElement;
      fields?.querySelector<HTMLElement>(`[data-cell="${CSS.escape(next.key)}"]`)?.focus();
    } else if (event.key === "+" && cell.node && cell.node.descendants > 0) zoomTo(cell.node);
    else if (event.key === "-" && shown) zoomTo(shown.parent);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const zoomTarget =
    selectedNode && selectedNode.descendants > 0 && selectedNode !== shown ? selectedNode : null;
  return (
    <div className={classes.pane}>
      <Breadcrumbs shown={shown} zoomTo={zoomTo} zoomTarget={zoomTarget} />
      <div ref={ref} className={classes.treemap} role="group" aria-label="Treemap of contexts">
        {cells.map((cell) => {
          const { key, node, kind } = cell;
          const style = { left: cell.x, top: cell.y, width: cell.width, height: cell.height };
          const tiny = !hasRoom(cell) ? classes.tiny : "";
          const className = `${classes.cell} ${healthClasses[cell.health]} ${tiny}`;
          if (kind === "own" || kind === "rest")
            return (
              <div
                key={key}
                aria-hidden
                className={`${className} ${classes[kind]}`}
                style={style}
                onClick={() => node && select(node.context.id)}
              >
                <Label cell={cell} />
              </div>
            );
          return (
            <button
              key={key}
              type="button"
              data-cell={key}
              data-kind={kind}
              data-selected={node === highlighted || undefined}
              aria-pressed={node === selectedNode && selectedNode !== undefined}
              aria-label={describeCell(cell) ?? undefined}
              title={describeCell(cell) ?? undefined}
              tabIndex={cell === tabStop ? 0 : -1}
              className={className}
              style={style}
              onClick={() => node && select(node.context.id)}
              onDoubleClick={() => node && node.descendants > 0 && zoomTo(node)}
              onFocus={() => setFocused(key)}
              onKeyDown={(event) => onKeyDown(event, cell)}
            >
              <Label cell={cell} />
            </button>
          );
        })}
      </div>
      <ul className={healthClasses.legend} aria-label="Legend">
        {HEALTH.map(({ health, label, description }) => (
          <li key={health} title={description}>
            <span aria-hidden className={`${healthClasses.swatch} ${healthClasses[health]}`} />
            {label}
          </li>
        ))}
      </ul>
    </div>
  );
}
