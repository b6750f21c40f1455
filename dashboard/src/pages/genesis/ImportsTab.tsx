import { Text, Title } from "@mantine/core";
import { IconHierarchy3 } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { EmptyState } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { Tag } from "~/parts/Tag";
import { pluralize, formatNumber } from "~/parts/format";
import classes from "./imports.module.css";
import { ImportGraph } from "./ImportGraph";
import { neighborIndexes, type Graph } from "./graphLayout";

interface NeighborListProps {
  title: string;
  direction: "in" | "out";
  indexes: number[];
  /** Count for the whole codebase, including modules that are not in the graph. */
  total: number;
  graph: Graph;
  select: (index: number) => void;
}

function NeighborList({ title, direction, indexes, total, graph, select }: NeighborListProps) {
  return (
    <div>
      <h4 className={classes.listTitle} data-direction={direction}>
        {title} <span>{formatNumber(total)}</span>
      </h4>
      {indexes.length > 0 && (
        <ul className={classes.moduleList}>
          {indexes.map((index) => (
            <li key={index}>
              <button type="button" onClick={() => select(index)}>
                {graph.modules[index]?.path}
              </button>
            </li>
          ))}
        </ul>
      )}
      {total > indexes.length && (
        <Text size="xs" c="dimmed">
          {indexes.length > 0 ? "and " : ""}
          {pluralize(total - indexes.length, "module")} not shown
        </Text>
      )}
    </div>
  );
}

interface ModulePanelProps {
  graph: Graph;
  shown: number;
  select: (index: number) => void;
  clear: () => void;
}

function ModulePanel({ graph, shown, select, clear }: ModulePanelProps) {
  const known = useMemo(() => neighborIndexes(graph), [graph]);
  const module = graph.modules[shown];
  if (!module)
    return (
      <div className={classes.panel}>
        <h3 className={classes.panelTitle}>Most imported</h3>
        <Text size="xs" c="dimmed" mb="xs">
          Hover over or select a module to see its imports.
        </Text>
        <ol className={classes.moduleList}>
          {graph.modules.slice(0, 12).map((module, index) => (
            <li key={module.path}>
              <button type="button" onClick={() => select(index)}>
                {module.path}
              </button>
              <small>{formatNumber(module.importedBy)}</small>
            </li>
          ))}
        </ol>
      </div>
    );
  return (
    <div className={classes.panel}>
      <button type="button" className={classes.clear} onClick={clear}>
        All modules
      </button>
      <h3 className={classes.panelTitle}>
        <code>{module.path}</code>
      </h3>
      <div className={classes.tags}>
        {module.language && <Tag tone="info">{module.language}</Tag>}
        <Tag>{pluralize(module.lines, "line")}</Tag>
      </div>
      <NeighborList
        title="Imports"
        direction="out"
        indexes={known.imports[shown] ?? []}
        total={module.imports}
        graph={graph}
        select={select}
      />
      <NeighborList
        title="Imported by"
        direction="in"
        indexes={known.importedBy[shown] ?? []}
        total={module.importedBy}
        graph={graph}
        select={select}
      />
    </div>
  );
}

function ModuleTable({ graph }: { graph: Graph }) {
  return (
    <details className={classes.moduleTable}>
      <summary>Show as table</summary>
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
                <td>{formatNumber(module.lines)}</td>
                <td>{formatNumber(module.imports)}</td>
                <td>{formatNumber(module.importedBy)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The import graph of the project's own modules. */
export function ImportsTab({ graph }: { graph: Graph }) {
  const [hovered, setHovered] = useState(-1);
  const [selected, setSelected] = useState(-1);
  // Keep the panel's module when the pointer leaves the graph, so its neighbors can be clicked.
  const [last, setLast] = useState(-1);
  const shown = hovered >= 0 ? hovered : selected;
  const hover = (index: number) => {
    setHovered(index);
    if (index >= 0) setLast(index);
  };
  const neighbors = useMemo(() => {
    const found = new Set<number>();
    for (const [from, to] of graph.edges) {
      if (from === shown) found.add(to);
      if (to === shown) found.add(from);
    }
    return found;
  }, [graph, shown]);
  if (graph.modules.length === 0)
    return (
      <EmptyState icon={<IconHierarchy3 size={36} />} title="No imports found">
        The import graph shows which modules import each other. The scan found no imports or has not reached
        that phase yet.
      </EmptyState>
    );
  const select = (index: number) => {
    setSelected(index === selected ? -1 : index);
    setLast(index);
  };
  const clear = () => {
    setHovered(-1);
    setSelected(-1);
    setLast(-1);
  };
  return (
    <section className={parts.card} aria-labelledby="imports">
      <Title order={2} size="h4" id="imports">
        Import graph
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {graph.remaining > 0
          ? `The ${formatNumber(graph.modules.length)} most connected modules; ${formatNumber(graph.remaining)} more are not shown.`
          : `${pluralize(graph.modules.length, "module")} of the project's own code.`}{" "}
        Larger dots are imported by more modules.
      </Text>
      <div className={classes.graph}>
        <ImportGraph
          graph={graph}
          shown={shown}
          selected={selected}
          neighbors={neighbors}
          hover={hover}
          select={select}
        />
        <ModulePanel graph={graph} shown={shown >= 0 ? shown : last} select={select} clear={clear} />
      </div>
      <ModuleTable graph={graph} />
    </section>
  );
}
