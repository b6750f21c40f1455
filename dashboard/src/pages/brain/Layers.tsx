import { Text } from "@mantine/core";
import { count } from "~/parts/Time";
import { LAYERS, type Plan, type PlanLayer } from "./plan";
import classes from "./brain.module.css";

const part = (value: number, whole: number) => `${whole > 0 ? (value / whole) * 100 : 0}%`;

/** The whole budget: what each layer takes of it, and what stays free. */
function Whole({ plan }: { plan: Plan }) {
  const free = Math.max(0, plan.budget - plan.tokenEstimate);
  const said = plan.layers.map((one) => `${LAYERS[one.layer].name} ${count(one.tokens)}`).join(", ");
  return (
    <div
      className={classes.whole}
      role="img"
      aria-label={`Of ${count(plan.budget)} tokens: ${said}, free ${count(free)}`}
    >
      {plan.layers.map((one) => (
        <span
          key={one.layer}
          className={classes.segment}
          data-layer={one.layer}
          style={{ width: part(one.tokens, Math.max(plan.budget, plan.tokenEstimate)) }}
        />
      ))}
    </div>
  );
}

function words({ taken, shortened, leftOut }: PlanLayer): string {
  if (taken + leftOut === 0) return "nothing known";
  const enters = shortened > 0 ? `${count(taken)} in (${count(shortened)} shortened)` : `${count(taken)} in`;
  return leftOut > 0 ? `${enters}, ${count(leftOut)} out` : enters;
}

/** What becomes of the memories of one layer. */
function Layer({ layer }: { layer: PlanLayer }) {
  const { name, about } = LAYERS[layer.layer];
  const all = layer.taken + layer.leftOut;
  return (
    <li className={classes.layer}>
      <span className={classes.layerName}>
        <span aria-hidden className={classes.dot} data-layer={layer.layer} />
        <span>
          {name}
          <Text size="xs" c="dimmed" component="span" className={classes.layerAbout}>
            {about}
          </Text>
        </span>
      </span>
      {layer.layer === 0 ? (
        <span className={classes.layerWords}>always in</span>
      ) : (
        <>
          <span className={classes.bar} data-layer={layer.layer} aria-hidden>
            <span data-state="whole" style={{ width: part(layer.taken - layer.shortened, all) }} />
            <span data-state="shortened" style={{ width: part(layer.shortened, all) }} />
            <span data-state="left_out" style={{ width: part(layer.leftOut, all) }} />
          </span>
          <span className={classes.layerWords}>{words(layer)}</span>
        </>
      )}
      <span className={classes.layerTokens}>{count(layer.tokens)} tokens</span>
    </li>
  );
}

export function Layers({ plan }: { plan: Plan }) {
  return (
    <div>
      <Whole plan={plan} />
      <ul className={classes.layers} aria-label="Layers">
        {plan.layers.map((layer) => (
          <Layer key={layer.layer} layer={layer} />
        ))}
      </ul>
      <ul className={classes.key} aria-label="What the bars look like">
        <li>
          <span aria-hidden className={classes.keyMark} data-state="whole" /> in, whole
        </li>
        <li>
          <span aria-hidden className={classes.keyMark} data-state="shortened" /> in, shortened
        </li>
        <li>
          <span aria-hidden className={classes.keyMark} data-state="left_out" /> left out
        </li>
      </ul>
    </div>
  );
}
