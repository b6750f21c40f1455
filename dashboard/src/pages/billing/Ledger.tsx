import { Button, ScrollArea, Table, Text } from "@mantine/core";
import { useState } from "react";
import { count, dateTime, Time } from "~/parts/Time";
import classes from "./billing.module.css";
import { said, type Transaction } from "./course";
import { money } from "./offers";

const AT_ONCE = 8;

/** What was bought and used, newest first. */
export function Ledger({ transactions }: { transactions: Transaction[] }) {
  const [shown, setShown] = useState(AT_ONCE);
  return (
    <div>
      <ScrollArea.Autosize
        mah={320}
        type="auto"
        viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Transactions" }}
      >
        <Table className={classes.ledger} verticalSpacing={6} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th ta="right">Tokens</Table.Th>
              <Table.Th ta="right">Price</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {transactions.slice(0, shown).map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td title={dateTime(one.createdAt)} className={classes.once}>
                  <Time at={one.createdAt} />
                </Table.Td>
                <Table.Td className={classes.words}>{said(one)}</Table.Td>
                <Table.Td ta="right" className={one.amount > 0 ? classes.gained : classes.once}>
                  {one.amount > 0 ? "+" : ""}
                  {count(one.amount)}
                </Table.Td>
                <Table.Td ta="right" className={classes.once}>
                  {one.price === undefined ? "" : money(one.price)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {transactions.length > shown && (
        <Button variant="subtle" size="xs" mt={4} onClick={() => setShown(shown + 50)}>
          Show older ones
        </Button>
      )}
      {transactions.length >= 1000 && shown >= 1000 && (
        <Text size="xs" c="dimmed">
          These are the newest thousand.
        </Text>
      )}
    </div>
  );
}
