import { Modal, Table } from "@mantine/core";
import { Key } from "~/parts/keys";

const ALWAYS: [string[], string][] = [
  [["j", "→"], "the next one"],
  [["k", "←"], "the one before"],
];
const WRITE: [string[], string][] = [
  [["e"], "edit it here"],
  [["Backspace", "Delete"], "delete it for ever; it can be taken back for a moment"],
  [["u"], "undo the last judgement"],
];
const JUDGE: [string[], string][] = [
  [["a"], "approve: it holds"],
  [["d"], "deprecate: it holds no longer"],
];
const CONFLICT: [string[], string][] = [
  [["a"], "keep this one: the other is deprecated"],
  [["d"], "keep the other: this one is deprecated"],
  [["b"], "keep both: they do not contradict each other"],
];
const LAST: [string[], string][] = [
  [["1", "2", "3", "4"], "drafts, low confidence, conflicts, stale"],
  [["?"], "this help"],
];

interface Props {
  /** Whether another one stands beside it. */
  contested: boolean;
  mayWrite: boolean;
  opened: boolean;
  close: () => void;
}

export function Help({ contested, mayWrite, opened, close }: Props) {
  const judging = contested ? CONFLICT : JUDGE;
  const lines = [...ALWAYS, ...(mayWrite ? [...judging, ...WRITE] : []), ...LAST];
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Keys of the review"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Table verticalSpacing={6} withRowBorders={false}>
        <Table.Tbody>
          {lines.map(([keys, does]) => (
            <Table.Tr key={does}>
              <Table.Td w="10rem">
                {keys.map((key) => (
                  <span key={key}>
                    <Key>{key}</Key>{" "}
                  </span>
                ))}
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
