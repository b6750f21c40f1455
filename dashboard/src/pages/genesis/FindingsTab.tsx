import { Group, Select, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useDeferredValue, useMemo, useState } from "react";
import { Kbd } from "~/parts/shortcuts";
import { pluralize, formatNumber } from "~/parts/format";
import { FindingList } from "./FindingList";
import { LAYERS, useFilteredFindings, type Finding, type Layer } from "./findings";
import classes from "./findings.module.css";

const IMPORTANCE_OPTIONS = [
  { value: "1", label: "All" },
  { value: "2", label: "Low (2) and above" },
  { value: "3", label: "Medium (3) and above" },
  { value: "4", label: "High (4) and above" },
  { value: "5", label: "Critical (5)" },
];

/** The findings of a scan, with filters for layer, importance and text. */
export function FindingsTab({ findings }: { findings: Finding[] }) {
  const [text, setText] = useState("");
  const [layer, setLayer] = useState<Layer | "">("");
  const [minImportance, setMinImportance] = useState("1");
  const deferredText = useDeferredValue(text);
  const filter = useMemo(
    () => ({ text: deferredText, layer, minImportance: Number(minImportance) }),
    [deferredText, layer, minImportance],
  );
  const { shown, counts, all } = useFilteredFindings(findings, filter);
  const layers: [Layer | "", string, number][] = [
    ["", "All", all],
    ...LAYERS.map(([key, name]): [Layer, string, number] => [key, name, counts.get(key) ?? 0]),
  ];
  return (
    <section aria-labelledby="findings">
      <h2 className="visually-hidden" id="findings">
        Findings
      </h2>
      <div className={classes.filters}>
        <TextInput
          aria-label="Search findings"
          placeholder="Search titles, content, files and tags"
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Select
          aria-label="Importance"
          data={IMPORTANCE_OPTIONS}
          value={minImportance}
          allowDeselect={false}
          onChange={(value) => setMinImportance(value ?? "1")}
        />
      </div>
      <div className={classes.layers} role="group" aria-label="Area">
        {layers.map(([key, name, found]) => (
          <button
            key={key}
            type="button"
            className={classes.layer}
            aria-pressed={layer === key}
            data-empty={found === 0}
            onClick={() => setLayer(key)}
          >
            {name} <span className={classes.layerCount}>{formatNumber(found)}</span>
          </button>
        ))}
      </div>
      <Group justify="space-between" my="xs">
        <Text size="sm" c="dimmed" role="status">
          {shown.length === findings.length
            ? `${pluralize(findings.length, "finding")}, most important first`
            : `${formatNumber(shown.length)} of ${pluralize(findings.length, "finding")}`}
        </Text>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          <Kbd>j</Kbd> <Kbd>k</Kbd> move · <Kbd>Enter</Kbd> open
        </Text>
      </Group>
      {shown.length > 0 ? (
        <FindingList findings={shown} />
      ) : (
        <Text c="dimmed" size="sm" py="lg" ta="center">
          {findings.length === 0 ? "This scan has no findings." : "No findings match your filters."}
        </Text>
      )}
    </section>
  );
}
