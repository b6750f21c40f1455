import { Button, Group, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconSearch, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState, type Ref } from "react";
import { afterPaint } from "~/parts/pacing";
import { TYPES } from "~/parts/Tag";
import { FLAGS, isKey, narrowed, NOTHING, STATUSES, SURE, type Filters, type Way } from "./filters";
import classes from "./memory.module.css";

interface Props {
  filters: Filters;
  change: (change: Partial<Filters>) => void;
  box: Ref<HTMLInputElement>;
}

/** A text that is asked for when its writer pauses; it follows when the address changes. */
function useTyped(value: string, tell: (value: string) => void, wait: number) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const later = useDebouncedCallback((now: string) => {
    told.current = now;
    tell(now);
  }, wait);
  useEffect(() => {
    if (value !== told.current) {
      told.current = value;
      setTyped(value);
    }
  }, [value]);
  return [
    typed,
    (now: string) => {
      setTyped(now);
      later(now);
    },
  ] as const;
}

function Typed({
  label,
  placeholder,
  value,
  tell,
  wrong,
}: {
  label: string;
  placeholder: string;
  value: string;
  tell: (value: string) => void;
  wrong?: string | false;
}) {
  const [typed, type] = useTyped(value, tell, 450);
  return (
    <TextInput
      className={classes.filter}
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      maxLength={500}
      error={wrong}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

interface PickProps<T extends string> {
  label: string;
  any: string;
  value: T | "";
  data: { value: T; label: string }[];
  tell: (value: T | "") => void;
}

function Pick<T extends string>({ label, any, value, data, tell }: PickProps<T>) {
  const [shown, setShown] = useState(value);
  useEffect(() => setShown(value), [value]);
  return (
    <Select
      className={classes.filter}
      aria-label={label}
      placeholder={any}
      data={data}
      value={shown || null}
      onChange={(chosen) => {
        const now = (chosen ?? "") as T | "";
        setShown(now);
        afterPaint(() => tell(now));
      }}
      clearable
      clearButtonProps={{ "aria-label": `${any}: show all again`, tabIndex: -1 }}
    />
  );
}

const words = <T extends string>(of: readonly T[]) => of.map((value) => ({ value, label: value }));

export function FilterBar({ filters, change, box }: Props) {
  const [typed, type] = useTyped(filters.q, (q) => change({ q }), 300);
  const [opened, panel] = useDisclosure(false);
  const many = narrowed(filters);
  const byMeaning = filters.way === "meaning";
  const statuses = byMeaning ? STATUSES.filter((status) => status !== "deprecated") : STATUSES;
  return (
    <search className={classes.filters}>
      <Group gap="xs" wrap="wrap">
        <TextInput
          ref={box}
          flex="1 1 16rem"
          type="search"
          aria-label={byMeaning ? "Search by meaning" : "Search by words"}
          placeholder={byMeaning ? "Ask in your own words" : "Words in titles, texts, keys and paths"}
          leftSection={<IconSearch size={16} />}
          value={typed}
          maxLength={200}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
        <SegmentedControl
          aria-label="How to search"
          value={filters.way}
          onChange={(way) => change({ way: way as Way })}
          data={[
            { value: "words", label: "By words" },
            { value: "meaning", label: "By meaning" },
          ]}
        />
        {(many > 0 || filters.q !== "") && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconX size={14} />}
            onClick={() => change(NOTHING)}
          >
            Clear all
          </Button>
        )}
        <Button
          variant="default"
          hiddenFrom="sm"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          aria-expanded={opened}
          onClick={panel.toggle}
        >
          {many > 0 ? `Filters (${many})` : "Filters"}
        </Button>
      </Group>
      <div className={opened ? classes.panelOpen : classes.panel}>
        <Pick
          label="Status"
          any="Any status"
          value={filters.status}
          data={words(statuses)}
          tell={(status) => change({ status })}
        />
        <Pick
          label="Type"
          any="Any type"
          value={filters.type}
          data={words(TYPES)}
          tell={(kind) => change({ type: kind })}
        />
        {!byMeaning && (
          <>
            <Pick
              label="Flag"
              any="Any flag"
              value={filters.flag}
              data={FLAGS.map(([value, label]) => ({ value, label }))}
              tell={(flag) => change({ flag })}
            />
            <Pick
              label="Confidence"
              any="Confidence"
              value={filters.sure}
              data={(["high", "middle", "low"] as const).map((value) => ({
                value,
                label: SURE[value].label,
              }))}
              tell={(sure) => change({ sure })}
            />
            <Typed
              label="Schema key"
              placeholder="Schema key"
              value={filters.schemaKey}
              tell={(schemaKey) => change({ schemaKey: schemaKey.trim() })}
              wrong={!isKey(filters.schemaKey) && "Such as root/checkout"}
            />
          </>
        )}
        <Typed
          label="File"
          placeholder="File path"
          value={filters.file}
          tell={(file) => change({ file: file.trim() })}
        />
        <Typed
          label="Branch"
          placeholder="Branch"
          value={filters.branch}
          tell={(branch) => change({ branch: branch.trim() })}
        />
      </div>
    </search>
  );
}
