import { Modal, Table } from "@mantine/core";
import { Kbd } from "~/parts/shortcuts";

const NAVIGATION: [string[], string][] = [
  [["j", "→"], "Next"],
  [["k", "←"], "Previous"],
];
const CHANGES: [string[], string][] = [
  [["e"], "Edit"],
  [["Backspace", "Delete"], "Delete permanently (you can undo this for a few seconds)"],
  [["u"], "Undo last decision"],
];
const DECISIONS: [string[], string][] = [
  [["a"], "Approve"],
  [["d"], "Deprecate"],
];
const CONFLICT_DECISIONS: [string[], string][] = [
  [["a"], "Keep this memory and deprecate the other"],
  [["d"], "Keep the other memory and deprecate this one"],
  [["b"], "Keep both"],
];
const GENERAL: [string[], string][] = [
  [["1", "2", "3", "4"], "Drafts, low confidence, conflicts, stale"],
  [["?"], "Show this help"],
];

interface Props {
  /** Whether the current item conflicts with another one. */
  inConflict: boolean;
  canWrite: boolean;
  opened: boolean;
  close: () => void;
}

export function ShortcutHelp({ inConflict, canWrite, opened, close }: Props) {
  const decisions = inConflict ? CONFLICT_DECISIONS : DECISIONS;
  const shortcuts = [...NAVIGATION, ...(canWrite ? [...decisions, ...CHANGES] : []), ...GENERAL];
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Keyboard shortcuts"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Table verticalSpacing={6} withRowBorders={false}>
        <Table.Tbody>
          {shortcuts.map(([keys, does]) => (
            <Table.Tr key={does}>
              <Table.Td w="10rem">
                {keys.map((key) => (
                  <span key={key}>
                    <Kbd>{key}</Kbd>{" "}
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
