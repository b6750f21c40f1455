import { Button, Group, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconSearch, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState, type Ref } from "react";
import { afterPaint } from "~/parts/afterPaint";
import { ITEM_TYPES } from "~/parts/Tag";
import {
  FLAGS,
  isKey,
  countFilters,
  NO_FILTERS,
  STATUSES,
  CONFIDENCE_RANGES,
  type Filters,
  type SearchMode,
} from "./filters";
import classes from "./memory.module.css";

interface Props {
  filters: Filters;
  change: (change: Partial<Filters>) => void;
  searchRef: Ref<HTMLInputElement>;
}

/** A text input that reports changes after a pause and follows external changes of `value`. */
function useDebouncedInput(value: string, onChange: (value: string) => void, wait: number) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((now: string) => {
    sent.current = now;
    onChange(now);
  }, wait);
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value;
      setTyped(value);
    }
  }, [value]);
  return [
    typed,
    (now: string) => {
      setTyped(now);
      send(now);
    },
  ] as const;
}

function TextFilter({
  label,
  placeholder,
  value,
  onChange,
  error,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | false;
}) {
  const [typed, type] = useDebouncedInput(value, onChange, 450);
  return (
    <TextInput
      className={classes.filter}
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      maxLength={500}
      error={error}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

interface SelectFilterProps<T extends string> {
  label: string;
  placeholder: string;
  value: T | "";
  data: { value: T; label: string }[];
  onChange: (value: T | "") => void;
}

function SelectFilter<T extends string>({ label, placeholder, value, data, onChange }: SelectFilterProps<T>) {
  const [shown, setShown] = useState(value);
  useEffect(() => setShown(value), [value]);
  return (
    <Select
      className={classes.filter}
      aria-label={label}
      placeholder={placeholder}
      data={data}
      value={shown || null}
      onChange={(chosen) => {
        const now = (chosen ?? "") as T | "";
        setShown(now);
        afterPaint(() => onChange(now));
      }}
      clearable
      clearButtonProps={{ "aria-label": `Clear filter: ${label}`, tabIndex: -1 }}
    />
  );
}

const options = <T extends string>(of: readonly T[]) => of.map((value) => ({ value, label: value }));

export function FilterBar({ filters, change, searchRef }: Props) {
  const [typed, type] = useDebouncedInput(filters.q, (q) => change({ q }), 300);
  const [opened, panel] = useDisclosure(false);
  const filterCount = countFilters(filters);
  const semantic = filters.mode === "semantic";
  const statuses = semantic ? STATUSES.filter((status) => status !== "deprecated") : STATUSES;
  return (
    <search className={classes.filters}>
      <Group gap="xs" wrap="wrap">
        <TextInput
          ref={searchRef}
          flex="1 1 16rem"
          type="search"
          aria-label={semantic ? "Semantic search" : "Keyword search"}
          placeholder={
            semantic ? "Describe what you're looking for" : "Search titles, content, schema keys and paths"
          }
          leftSection={<IconSearch size={16} />}
          value={typed}
          maxLength={200}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
        <SegmentedControl
          aria-label="Search mode"
          value={filters.mode}
          onChange={(mode) => change({ mode: mode as SearchMode })}
          data={[
            { value: "keyword", label: "Keyword" },
            { value: "semantic", label: "Semantic" },
          ]}
        />
        {(filterCount > 0 || filters.q !== "") && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconX size={14} />}
            onClick={() => change(NO_FILTERS)}
          >
            Clear filters
          </Button>
        )}
        <Button
          variant="default"
          hiddenFrom="sm"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          aria-expanded={opened}
          onClick={panel.toggle}
        >
          {filterCount > 0 ? `Filters (${filterCount})` : "Filters"}
        </Button>
      </Group>
      <div className={opened ? classes.panelOpen : classes.panel}>
        <SelectFilter
          label="Status"
          placeholder="Any status"
          value={filters.status}
          data={options(statuses)}
          onChange={(status) => change({ status })}
        />
        <SelectFilter
          label="Type"
          placeholder="Any type"
          value={filters.type}
          data={options(ITEM_TYPES)}
          onChange={(kind) => change({ type: kind })}
        />
        {!semantic && (
          <>
            <SelectFilter
              label="Flag"
              placeholder="Any flag"
              value={filters.flag}
              data={FLAGS.map(([value, label]) => ({ value, label }))}
              onChange={(flag) => change({ flag })}
            />
            <SelectFilter
              label="Confidence"
              placeholder="Any confidence"
              value={filters.confidence}
              data={(["high", "medium", "low"] as const).map((value) => ({
                value,
                label: CONFIDENCE_RANGES[value].label,
              }))}
              onChange={(confidence) => change({ confidence })}
            />
            <TextFilter
              label="Schema key"
              placeholder="Schema key"
              value={filters.schemaKey}
              onChange={(schemaKey) => change({ schemaKey: schemaKey.trim() })}
              error={!isKey(filters.schemaKey) && "Use a key like root/checkout"}
            />
          </>
        )}
        <TextFilter
          label="File"
          placeholder="File path"
          value={filters.file}
          onChange={(file) => change({ file: file.trim() })}
        />
        <TextFilter
          label="Branch"
          placeholder="Branch"
          value={filters.branch}
          onChange={(branch) => change({ branch: branch.trim() })}
        />
      </div>
    </search>
  );
}
