import { ActionIcon, Button, Group } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useMemo, useState, type KeyboardEvent } from "react";
import { amount, count } from "~/parts/Time";
import { layout, neighbour, type Cell } from "./layout";
import { HEALTH, pathTo, told, type Node, type Tree } from "./places";
import look from "./health.module.css";
import classes from "./picture.module.css";

interface Props {
  tree: Tree;
  selected: string | null;
  select: (id: string) => void;
}

const said = ({ node, within }: Cell) =>
  node &&
  [
    node.place.name,
    `${count(node.tokens)} tokens`,
    told(node.place),
    within > 0 ? `${amount(within, "context")} within` : "",
    node.place.projectId === null ? "for the whole team" : "",
  ]
    .filter(Boolean)
    .join(", ");

const hasRoom = ({ width, height }: Cell) => width >= 52 && height >= 22;

function Label({ cell }: { cell: Cell }) {
  const { node, kind, width, height, within } = cell;
  if (!hasRoom(cell)) return null;
  if (!node) return <span className={classes.name}>{count(within)} more</span>;
  const name = kind === "own" ? "its own text" : node.place.name;
  const tokens = kind === "own" ? node.place.tokens : node.tokens;
  if (kind === "group")
    return (
      <>
        <span className={classes.name}>
          <span aria-hidden className={`${look.swatch} ${look[cell.health]} ${classes.groupMark}`} />
          {name}
        </span>
        {width > 190 && <span className={classes.more}>{count(tokens)}</span>}
      </>
    );
  return (
    <>
      <span className={classes.name}>{name}</span>
      {height >= 44 && width >= 84 && (
        <span className={classes.more}>{width >= 120 ? amount(tokens, "token") : count(tokens)}</span>
      )}
      {height >= 64 && width >= 110 && kind === "leaf" && (
        <span className={classes.more}>{within > 0 ? `${count(within)} within` : told(node.place)}</span>
      )}
    </>
  );
}

/** Where in the tree the picture is, and the ways up and down. */
function Crumbs({
  shown,
  look: lookAt,
  into,
}: {
  shown: Node | null;
  look: (node: Node | null) => void;
  into: Node | null;
}) {
  const path = shown ? pathTo(shown) : [];
  return (
    <Group justify="space-between" gap="xs" mih={36} wrap="nowrap">
      <nav aria-label="What the picture shows" className={classes.crumbs}>
        {shown ? (
          <Button size="compact-sm" variant="subtle" onClick={() => lookAt(null)}>
            Everything
          </Button>
        ) : (
          <span className={classes.here} aria-current="true">
            Everything
          </span>
        )}
        {path.map((node) => (
          <span key={node.place.id} className={classes.crumb}>
            <span aria-hidden>/</span>
            {node === shown ? (
              <span className={classes.here} aria-current="true">
                {node.place.name}
              </span>
            ) : (
              <Button size="compact-sm" variant="subtle" onClick={() => lookAt(node)}>
                {node.place.name}
              </Button>
            )}
          </span>
        ))}
      </nav>
      <Group gap={4} wrap="nowrap">
        <span className={classes.hint}>Double click or + looks into a field</span>
        {into && (
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Look into ${into.place.name}`}
            title={`Look into ${into.place.name}`}
            onClick={() => lookAt(into)}
          >
            <IconZoomIn size={18} />
          </ActionIcon>
        )}
        {shown && (
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="One level up"
            title="One level up"
            onClick={() => lookAt(shown.above)}
          >
            <IconZoomOut size={18} />
          </ActionIcon>
        )}
      </Group>
    </Group>
  );
}

/** The map as a picture: a field is as large as its text is long, and looks as it fares. */
export function Picture({ tree, selected, select }: Props) {
  const { ref, width, height } = useElementSize();
  const [zoomed, setZoomed] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const shown = (zoomed && tree.byId.get(zoomed)) || null;
  const cells = useMemo(() => layout(tree.top, shown, width, height), [tree, shown, width, height]);
  const reached = cells.filter((cell) => cell.kind === "group" || cell.kind === "leaf");
  const chosen = selected ? tree.byId.get(selected) : undefined;
  const path = chosen ? pathTo(chosen) : [];
  // One that is too deep to be drawn is marked where it lies.
  const marked = path.findLast((node) => reached.some((cell) => cell.node === node));
  const tabbed =
    reached.find((cell) => cell.key === focused) ??
    reached.find((cell) => cell.node === marked) ??
    reached[0];
  const lookAt = (node: Node | null) => {
    setZoomed(node?.place.id ?? null);
    setFocused(null);
  };
  const press = (event: KeyboardEvent, cell: Cell) => {
    const next = neighbour(reached, cell, event.key);
    if (next) {
      setFocused(next.key);
      const fields = event.currentTarget.parentElement;
      fields?.querySelector<HTMLElement>(`[data-cell="${CSS.escape(next.key)}"]`)?.focus();
    } else if (event.key === "+" && cell.node && cell.node.below > 0) lookAt(cell.node);
    else if (event.key === "-" && shown) lookAt(shown.above);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const into = chosen && chosen.below > 0 && chosen !== shown ? chosen : null;
  return (
    <div className={classes.pane}>
      <Crumbs shown={shown} look={lookAt} into={into} />
      <div ref={ref} className={classes.picture} role="group" aria-label="Picture of the contexts">
        {cells.map((cell) => {
          const { key, node, kind } = cell;
          const style = { left: cell.x, top: cell.y, width: cell.width, height: cell.height };
          const tiny = !hasRoom(cell) ? classes.tiny : "";
          const looks = `${classes.cell} ${look[cell.health]} ${tiny}`;
          if (kind === "own" || kind === "rest")
            return (
              <div
                key={key}
                aria-hidden
                className={`${looks} ${classes[kind]}`}
                style={style}
                onClick={() => node && select(node.place.id)}
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
              data-selected={node === marked || undefined}
              aria-pressed={node === chosen && chosen !== undefined}
              aria-label={said(cell) ?? undefined}
              title={said(cell) ?? undefined}
              tabIndex={cell === tabbed ? 0 : -1}
              className={looks}
              style={style}
              onClick={() => node && select(node.place.id)}
              onDoubleClick={() => node && node.below > 0 && lookAt(node)}
              onFocus={() => setFocused(key)}
              onKeyDown={(event) => press(event, cell)}
            >
              <Label cell={cell} />
            </button>
          );
        })}
      </div>
      <ul className={look.legend} aria-label="What the fields look like">
        {HEALTH.map(({ health, word, why }) => (
          <li key={health} title={why}>
            <span aria-hidden className={`${look.swatch} ${look[health]}`} />
            {word}
          </li>
        ))}
      </ul>
    </div>
  );
}
