import { Text, Title } from "@mantine/core";
import { IconHierarchy3 } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { Empty } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { Tag } from "~/parts/Tag";
import { amount, count } from "~/parts/Time";
import classes from "./imports.module.css";
import { Wheel } from "./Wheel";
import { neighbours, type Graph } from "./wheel";

interface ListProps {
  title: string;
  way: "in" | "out";
  places: number[];
  /** As many as the whole codebase has. */
  of: number;
  graph: Graph;
  pick: (place: number) => void;
}

function Neighbours({ title, way, places, of, graph, pick }: ListProps) {
  return (
    <div>
      <h4 className={classes.wayTitle} data-way={way}>
        {title} <span>{count(of)}</span>
      </h4>
      {places.length > 0 && (
        <ul className={classes.near}>
          {places.map((place) => (
            <li key={place}>
              <button type="button" onClick={() => pick(place)}>
                {graph.modules[place]?.path}
              </button>
            </li>
          ))}
        </ul>
      )}
      {of > places.length && (
        <Text size="xs" c="dimmed">
          {places.length > 0 ? "and " : ""}
          {amount(of - places.length, "module")} outside the picture
        </Text>
      )}
    </div>
  );
}

interface BesideProps {
  graph: Graph;
  shown: number;
  pick: (place: number) => void;
  letGo: () => void;
}

function Beside({ graph, shown, pick, letGo }: BesideProps) {
  const known = useMemo(() => neighbours(graph), [graph]);
  const module = graph.modules[shown];
  if (!module)
    return (
      <div className={classes.beside}>
        <h3 className={classes.besideTitle}>Imported most</h3>
        <Text size="xs" c="dimmed" mb="xs">
          Much rests on these. Point at a module, or pick one, to see what it is tied to.
        </Text>
        <ol className={classes.near}>
          {graph.modules.slice(0, 12).map((one, place) => (
            <li key={one.path}>
              <button type="button" onClick={() => pick(place)}>
                {one.path}
              </button>
              <small>{count(one.importedBy)}</small>
            </li>
          ))}
        </ol>
      </div>
    );
  return (
    <div className={classes.beside}>
      <button type="button" className={classes.letGo} onClick={letGo}>
        All modules
      </button>
      <h3 className={classes.besideTitle}>
        <code>{module.path}</code>
      </h3>
      <div className={classes.tags}>
        {module.language && <Tag tone="info">{module.language}</Tag>}
        <Tag>{amount(module.lines, "line")}</Tag>
      </div>
      <Neighbours
        title="Imports"
        way="out"
        places={known.imports[shown] ?? []}
        of={module.imports}
        graph={graph}
        pick={pick}
      />
      <Neighbours
        title="Imported by"
        way="in"
        places={known.importedBy[shown] ?? []}
        of={module.importedBy}
        graph={graph}
        pick={pick}
      />
    </div>
  );
}

function AsTable({ graph }: { graph: Graph }) {
  return (
    <details className={classes.asTable}>
      <summary>The same as a table</summary>
      <div className={classes.tableBox} tabIndex={0} role="region" aria-label="Modules and their imports">
        <table>
          <thead>
            <tr>
              <th scope="col">Module</th>
              <th scope="col">Language</th>
              <th scope="col">Lines</th>
              <th scope="col">Imports</th>
              <th scope="col">Imported by</th>
            </tr>
          </thead>
          <tbody>
            {graph.modules.map((module) => (
              <tr key={module.path}>
                <th scope="row">
                  <code>{module.path}</code>
                </th>
                <td>{module.language ?? "unknown"}</td>
                <td>{count(module.lines)}</td>
                <td>{count(module.imports)}</td>
                <td>{count(module.importedBy)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** What imports what in the project's own code. */
export function Imports({ graph }: { graph: Graph }) {
  const [pointed, setPointed] = useState(-1);
  const [picked, setPicked] = useState(-1);
  // What stands beside the picture stays when the pointer or the focus leaves it: one goes there to pick a neighbour.
  const [last, setLast] = useState(-1);
  const shown = pointed >= 0 ? pointed : picked;
  const point = (place: number) => {
    setPointed(place);
    if (place >= 0) setLast(place);
  };
  const near = useMemo(() => {
    const found = new Set<number>();
    for (const [from, to] of graph.edges) {
      if (from === shown) found.add(to);
      if (to === shown) found.add(from);
    }
    return found;
  }, [graph, shown]);
  if (graph.modules.length === 0)
    return (
      <Empty icon={<IconHierarchy3 size={36} />} title="No imports to draw">
        Here one would see which modules of the codebase import which. The scan has found none, or has not
        come so far.
      </Empty>
    );
  const pick = (place: number) => {
    setPicked(place === picked ? -1 : place);
    setLast(place);
  };
  const letGo = () => {
    setPointed(-1);
    setPicked(-1);
    setLast(-1);
  };
  return (
    <section className={parts.card} aria-labelledby="imports">
      <Title order={2} size="h4" id="imports">
        What imports what
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {graph.more > 0
          ? `The ${count(graph.modules.length)} most connected modules; ${count(graph.more)} more are left out.`
          : `${amount(graph.modules.length, "module")} of the project's own code.`}{" "}
        The more modules import one, the larger it is drawn.
      </Text>
      <div className={classes.graph}>
        <Wheel graph={graph} shown={shown} picked={picked} near={near} point={point} pick={pick} />
        <Beside graph={graph} shown={shown >= 0 ? shown : last} pick={pick} letGo={letGo} />
      </div>
      <AsTable graph={graph} />
    </section>
  );
}
