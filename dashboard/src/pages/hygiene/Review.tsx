import { Alert, Button, Group as Row, Modal, Stack, Text, Title } from "@mantine/core";
import { IconArrowBackUp, IconInfoCircle, IconLeaf } from "@tabler/icons-react";
import { useCallback, useRef, useState } from "react";
import { Key } from "~/parts/keys";
import { Empty } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { amount, dateTime, Time } from "~/parts/Time";
import { useChoosing } from "./choosing";
import { Group } from "./Group";
import classes from "./hygiene.module.css";
import type { Tidying } from "./tidying";
import { isExpired, isFinal, isSafe, memories, MODES, type Plan } from "./words";

function Head({ plan, notes }: { plan: Plan; notes: string[] }) {
  const expired = isExpired(plan);
  return (
    <div className={classes.head}>
      <Row gap="xs">
        <Title order={2} size="h4">
          {MODES[plan.mode].name}
        </Title>
        {expired && <Tag tone="warn">expired</Tag>}
      </Row>
      <Text size="sm" c="dimmed">
        {memories(plan.itemsAnalyzed)} looked at <Time at={plan.createdAt} />,{" "}
        {amount(plan.actions.length, "proposal")}.{" "}
        {expired ? "Its time is over: take a new look." : `The plan holds until ${dateTime(plan.expiresAt)}.`}
      </Text>
      {notes.length > 0 && (
        <Alert
          variant="outline"
          color="gray"
          icon={<IconInfoCircle />}
          title="Worth knowing"
          mt="sm"
          role="note"
        >
          {notes.map((note) => (
            <Text size="sm" key={note}>
              {note}
            </Text>
          ))}
        </Alert>
      )}
    </div>
  );
}

interface AskProps {
  opened: boolean;
  finals: number;
  total: number;
  busy: boolean;
  act: () => void;
  close: () => void;
}

function Ask({ opened, finals, total, busy, act, close }: AskProps) {
  return (
    <Modal opened={opened} onClose={close} title="Take the words out for good?">
      <Stack>
        <Text size="sm">
          {finals === 1 ? "One of what you selected takes" : `${finals} of what you selected take`} secrets or
          personal data out of memory, and of all earlier versions. That cannot be undone.
        </Text>
        <Row justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Not now
          </Button>
          <Button color="red.8" loading={busy} onClick={act}>
            Apply {total}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

/** A plan: what is proposed, what is selected of it, what became of it. */
export function Review({ plan, tidying, mayWrite }: { plan: Plan; tidying: Tidying; mayWrite: boolean }) {
  const live = mayWrite && !isExpired(plan);
  const choosing = useChoosing(plan, live);
  const { groups, order, selected } = choosing;
  const [asking, setAsking] = useState(false);
  const latest = useRef({ plan, tidying });
  latest.current = { plan, tidying };
  const undoOne = useCallback((id: string) => latest.current.tidying.undo(latest.current.plan, [id]), []);
  const free = order.filter((action) => !action.applied);
  const safe = free.filter(isSafe);
  const back = order.filter((action) => action.applied && !isFinal(action));
  const finals = order.filter((action) => selected.has(action.id) && isFinal(action)).length;
  const busy = tidying.isApplying || tidying.isUndoing;
  const apply = () =>
    tidying.apply(
      plan,
      order.filter(({ id }) => selected.has(id)).map(({ id }) => id),
      () => {
        setAsking(false);
        choosing.clear();
      },
    );
  if (plan.actions.length === 0)
    return (
      <Empty icon={<IconLeaf size={40} stroke={1.4} />} title="Nothing to tidy up">
        {memories(plan.itemsAnalyzed)} looked at, and all of it is in good order.
      </Empty>
    );
  return (
    <div ref={choosing.box}>
      <Head plan={plan} notes={tidying.notesOf(plan)} />
      {live && (
        <div className={classes.bar} role="group" aria-label="What to do with the proposals">
          <Row gap="xs">
            <Button
              variant="default"
              size="xs"
              disabled={safe.length === 0}
              onClick={() => choosing.selectAll(safe, true)}
              title="All that can take nothing from a reader"
            >
              Select all safe ({safe.length})
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={selected.size === 0}
              onClick={() => choosing.clear()}
            >
              Select none
            </Button>
            {back.length > 0 && (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconArrowBackUp size={14} />}
                disabled={busy}
                loading={tidying.isUndoing}
                onClick={() =>
                  tidying.undo(
                    plan,
                    back.map(({ id }) => id),
                  )
                }
              >
                Undo all done ({back.length})
              </Button>
            )}
          </Row>
          <Row gap="sm" wrap="nowrap">
            <span className={classes.keys}>
              <Key>j</Key> <Key>k</Key> go, <Key>x</Key> selects, <Key>Enter</Key> opens
            </span>
            <Button
              size="xs"
              disabled={selected.size === 0 || busy}
              loading={tidying.isApplying}
              onClick={() => (finals > 0 ? setAsking(true) : apply())}
            >
              Apply {selected.size > 0 ? `${selected.size} selected` : "selected"}
            </Button>
          </Row>
        </div>
      )}
      {groups.map((group) => (
        <Group
          key={group.kind}
          {...group}
          live={live}
          busy={busy}
          selected={selected}
          open={choosing.open}
          told={tidying.told}
          selectAll={choosing.selectAll}
          select={choosing.select}
          toggle={choosing.toggle}
          undo={undoOne}
          focused={choosing.focused}
        />
      ))}
      <Ask
        opened={asking}
        finals={finals}
        total={selected.size}
        busy={tidying.isApplying}
        act={apply}
        close={() => setAsking(false)}
      />
    </div>
  );
}
