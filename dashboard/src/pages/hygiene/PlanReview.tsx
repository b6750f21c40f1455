import { Alert, Button, Group as Row, Modal, Stack, Text, Title } from "@mantine/core";
import { IconArrowBackUp, IconInfoCircle, IconLeaf } from "@tabler/icons-react";
import { useCallback, useRef, useState } from "react";
import { Kbd } from "~/parts/shortcuts";
import { EmptyState } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { pluralize, formatDateTime, RelativeTime } from "~/parts/format";
import { usePlanSelection } from "./selection";
import { ActionGroup } from "./ActionGroup";
import classes from "./hygiene.module.css";
import type { HygienePlans } from "./plans";
import { isExpired, isIrreversible, isSafe, memoryCount, MODES, type Plan } from "./actions";

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
        {memoryCount(plan.itemsAnalyzed)} checked <RelativeTime at={plan.createdAt} />,{" "}
        {pluralize(plan.actions.length, "suggestion")}.{" "}
        {expired
          ? "These suggestions have expired. Run a new check."
          : `Expires ${formatDateTime(plan.expiresAt)}.`}
      </Text>
      {notes.length > 0 && (
        <Alert variant="outline" color="gray" icon={<IconInfoCircle />} title="Notes" mt="sm" role="note">
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

interface ConfirmProps {
  opened: boolean;
  redactions: number;
  total: number;
  busy: boolean;
  confirm: () => void;
  close: () => void;
}

function ConfirmRedaction({ opened, redactions, total, busy, confirm, close }: ConfirmProps) {
  return (
    <Modal opened={opened} onClose={close} title="Permanently remove text?">
      <Stack>
        <Text size="sm">
          {redactions === 1 ? "1 selected change removes" : `${redactions} selected changes remove`} secrets
          or personal data from memory and from all earlier versions. This can&apos;t be undone.
        </Text>
        <Row justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red.8" loading={busy} onClick={confirm}>
            Apply {pluralize(total, "change")}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

/** A plan's suggestions, with selection, apply and undo. */
export function PlanReview({
  plan,
  hygiene,
  canWrite,
}: {
  plan: Plan;
  hygiene: HygienePlans;
  canWrite: boolean;
}) {
  const editable = canWrite && !isExpired(plan);
  const selection = usePlanSelection(plan, editable);
  const { groups, order, selected } = selection;
  const [confirming, setConfirming] = useState(false);
  const latest = useRef({ plan, hygiene });
  latest.current = { plan, hygiene };
  const undoOne = useCallback((id: string) => latest.current.hygiene.undo(latest.current.plan, [id]), []);
  const pending = order.filter((action) => !action.applied);
  const safe = pending.filter(isSafe);
  const undoable = order.filter((action) => action.applied && !isIrreversible(action));
  const redactions = order.filter((action) => selected.has(action.id) && isIrreversible(action)).length;
  const busy = hygiene.isApplying || hygiene.isUndoing;
  const apply = () =>
    hygiene.apply(
      plan,
      order.filter(({ id }) => selected.has(id)).map(({ id }) => id),
      () => {
        setConfirming(false);
        selection.clear();
      },
    );
  if (plan.actions.length === 0)
    return (
      <EmptyState icon={<IconLeaf size={40} stroke={1.4} />} title="No issues found">
        {memoryCount(plan.itemsAnalyzed)} checked.
      </EmptyState>
    );
  return (
    <div ref={selection.box}>
      <Head plan={plan} notes={hygiene.notesOf(plan)} />
      {editable && (
        <div className={classes.bar} role="group" aria-label="Apply suggestions">
          <Row gap="xs">
            <Button
              variant="default"
              size="xs"
              disabled={safe.length === 0}
              onClick={() => selection.selectAll(safe, true)}
              title="Select suggestions that remove no information"
            >
              Select all safe ({safe.length})
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={selected.size === 0}
              onClick={() => selection.clear()}
            >
              Clear selection
            </Button>
            {undoable.length > 0 && (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconArrowBackUp size={14} />}
                disabled={busy}
                loading={hygiene.isUndoing}
                onClick={() =>
                  hygiene.undo(
                    plan,
                    undoable.map(({ id }) => id),
                  )
                }
              >
                Undo all ({undoable.length})
              </Button>
            )}
          </Row>
          <Row gap="sm" wrap="nowrap">
            <span className={classes.keys}>
              <Kbd>j</Kbd> <Kbd>k</Kbd> move · <Kbd>x</Kbd> select · <Kbd>Enter</Kbd> open
            </span>
            <Button
              size="xs"
              disabled={selected.size === 0 || busy}
              loading={hygiene.isApplying}
              onClick={() => (redactions > 0 ? setConfirming(true) : apply())}
            >
              Apply {selected.size > 0 ? `${selected.size} selected` : "selected"}
            </Button>
          </Row>
        </div>
      )}
      {groups.map((group) => (
        <ActionGroup
          key={group.kind}
          {...group}
          editable={editable}
          busy={busy}
          selected={selected}
          open={selection.open}
          outcomes={hygiene.outcomes}
          selectAll={selection.selectAll}
          select={selection.select}
          toggle={selection.toggle}
          undo={undoOne}
          onFocus={selection.onFocus}
        />
      ))}
      <ConfirmRedaction
        opened={confirming}
        redactions={redactions}
        total={selected.size}
        busy={hygiene.isApplying}
        confirm={apply}
        close={() => setConfirming(false)}
      />
    </div>
  );
}
