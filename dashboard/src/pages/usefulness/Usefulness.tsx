import { SegmentedControl, Table, Title } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import type { ResponseBody } from "~/api/client";
import { useGet } from "~/api/hooks";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { formatDateTime, formatNumber, pluralize } from "~/parts/format";
import { useProject } from "~/shell/project";
import classes from "./usefulness.module.css";

type Figures = ResponseBody<"/api/v2/usefulness", "get">;

const DAYS = ["7", "30", "90"];

const formatPercent = (part: number, whole: number) =>
  whole === 0 ? "–" : `${Math.round((100 * part) / whole)}%`;

function Figure({ name, value, about }: { name: string; value: string; about: string }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd className={classes.value}>{value}</dd>
      <dd className={classes.about}>{about}</dd>
    </div>
  );
}

function Summary({ figures }: { figures: Figures }) {
  const { entriesServed, entriesUsed, entriesCorrected } = figures;
  return (
    <dl className={classes.figures}>
      <Figure
        name="Sessions briefed"
        value={formatNumber(figures.sessionsBriefed)}
        about={pluralize(figures.briefings, "briefing")}
      />
      <Figure name="Median size" value={formatNumber(figures.tokensMedian)} about="tokens per briefing" />
      <Figure
        name="Used"
        value={formatPercent(entriesUsed, entriesServed)}
        about={`${formatNumber(entriesUsed)} of the ${formatNumber(entriesServed)} entries in briefings`}
      />
      <Figure
        name="Repeat corrections"
        value={formatPercent(entriesCorrected, entriesServed)}
        about={`${formatNumber(entriesCorrected)} of the ${formatNumber(entriesServed)} entries in briefings`}
      />
    </dl>
  );
}

function Items({ items }: { items: Figures["items"] }) {
  const project = useProject();
  return (
    <section aria-labelledby="items">
      <Title order={2} id="items" mb="xs">
        Memories
      </Title>
      <Table.ScrollContainer minWidth={420}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Memory</Table.Th>
              <Table.Th className={classes.number}>In briefings</Table.Th>
              <Table.Th className={classes.number}>Used</Table.Th>
              <Table.Th className={classes.number}>Repeat corrections</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((item) => (
              <Table.Tr key={item.itemId}>
                <Table.Td>
                  <Link href={`/p/${project.id}/memory/${item.itemId}`} className={classes.link}>
                    {item.title}
                  </Link>
                </Table.Td>
                <Table.Td className={classes.number}>{formatNumber(item.served)}</Table.Td>
                <Table.Td className={classes.number}>{formatNumber(item.used)}</Table.Td>
                <Table.Td className={classes.number}>{formatNumber(item.corrected)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

/** The times with briefings on and off, shown once there are both. */
function Periods({ periods }: { periods: Figures["periods"] }) {
  return (
    <section aria-labelledby="periods">
      <Title order={2} id="periods" mb="xs">
        With and without briefings
      </Title>
      <Table.ScrollContainer minWidth={520}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Period</Table.Th>
              <Table.Th>Briefings</Table.Th>
              <Table.Th className={classes.number}>Sessions</Table.Th>
              <Table.Th className={classes.number}>Repeat corrections</Table.Th>
              <Table.Th className={classes.number}>Median tokens</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {periods.map((period) => (
              <Table.Tr key={period.from}>
                <Table.Td>
                  {formatDateTime(period.from)} to {formatDateTime(period.to)}
                </Table.Td>
                <Table.Td>{period.enabled ? "On" : "Off"}</Table.Td>
                <Table.Td className={classes.number}>{formatNumber(period.sessions)}</Table.Td>
                <Table.Td className={classes.number}>{formatNumber(period.corrections)}</Table.Td>
                <Table.Td className={classes.number}>{formatNumber(period.tokensMedian)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

export default function Usefulness() {
  const project = useProject();
  const [days, setDays] = useState("30");
  const found = useGet(
    "/api/v2/usefulness",
    { query: { projectId: project.id, days: Number(days) } },
    { keepPrevious: true },
  );
  return (
    <Page
      title="Usefulness"
      about="How agents used their briefings. An entry is a memory or a quote in a briefing. A repeat correction is something a person had to tell an agent even though it was already in memory."
      actions={
        <SegmentedControl
          role="radiogroup"
          aria-label="Period"
          data={DAYS.map((value) => ({ value, label: `${value} days` }))}
          value={days}
          onChange={setDays}
        />
      }
    >
      <Loaded query={found}>
        {(figures) => (
          <div className={classes.sections}>
            {figures.briefings === 0 ? (
              <EmptyState icon={<IconChartBar size={40} />} title="No briefings in this period">
                Agents are briefed when a session starts and with its first prompt. Connect an agent with
                loremark install, and check that briefings are on in Project settings.
              </EmptyState>
            ) : (
              <Summary figures={figures} />
            )}
            {figures.items.length > 0 && <Items items={figures.items} />}
            {figures.periods.length > 1 && <Periods periods={figures.periods} />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
