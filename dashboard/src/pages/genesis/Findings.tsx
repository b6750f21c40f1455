import { Group, Select, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useDeferredValue, useMemo, useState } from "react";
import { Key } from "~/parts/keys";
import { amount, count } from "~/parts/Time";
import { FindingList } from "./FindingList";
import { LAYERS, useSought, type Finding, type Layer } from "./findings";
import classes from "./findings.module.css";

const LEAST = [
  { value: "1", label: "All" },
  { value: "2", label: "Modest (2) and more" },
  { value: "3", label: "Medium (3) and more" },
  { value: "4", label: "High (4) and more" },
  { value: "5", label: "Critical (5)" },
];

/** What the scan has found: by layer, by importance, by words. */
export function Findings({ findings }: { findings: Finding[] }) {
  const [text, setText] = useState("");
  const [layer, setLayer] = useState<Layer | "">("");
  const [least, setLeast] = useState("1");
  const quietly = useDeferredValue(text);
  const sought = useMemo(() => ({ text: quietly, layer, least: Number(least) }), [quietly, layer, least]);
  const { shown, counts, all } = useSought(findings, sought);
  const layers: [Layer | "", string, number][] = [
    ["", "All", all],
    ...LAYERS.map(([key, name]): [Layer, string, number] => [key, name, counts.get(key) ?? 0]),
  ];
  return (
    <section aria-labelledby="findings">
      <h2 className="said" id="findings">
        Findings
      </h2>
      <div className={classes.seek}>
        <TextInput
          aria-label="Search in the findings"
          placeholder="Search in titles, texts, files and tags"
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Select
          aria-label="Importance"
          data={LEAST}
          value={least}
          allowDeselect={false}
          onChange={(value) => setLeast(value ?? "1")}
        />
      </div>
      <div className={classes.layers} role="group" aria-label="Layer">
        {layers.map(([key, name, found]) => (
          <button
            key={key}
            type="button"
            className={classes.layer}
            aria-pressed={layer === key}
            data-empty={found === 0}
            onClick={() => setLayer(key)}
          >
            {name} <span className={classes.layerCount}>{count(found)}</span>
          </button>
        ))}
      </div>
      <Group justify="space-between" my="xs">
        <Text size="sm" c="dimmed" role="status">
          {shown.length === findings.length
            ? `${amount(findings.length, "finding")}, the most important first`
            : `${count(shown.length)} of ${amount(findings.length, "finding")}`}
        </Text>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          <Key>j</Key> <Key>k</Key> go, <Key>Enter</Key> opens
        </Text>
      </Group>
      {shown.length > 0 ? (
        <FindingList findings={shown} />
      ) : (
        <Text c="dimmed" size="sm" py="lg" ta="center">
          {findings.length === 0 ? "The scan has found nothing." : "Nothing of what was found fits."}
        </Text>
      )}
    </section>
  );
}
