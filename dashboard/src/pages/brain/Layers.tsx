import { Text } from "@mantine/core";
import { formatNumber } from "~/parts/format";
import { LAYERS, type Plan, type PlanLayer } from "./plan";
import classes from "./brain.module.css";

const percent = (value: number, total: number) => `${total > 0 ? (value / total) * 100 : 0}%`;

/** A bar showing how much of the budget each layer uses. */
function BudgetBar({ plan }: { plan: Plan }) {
  const free = Math.max(0, plan.budget - plan.tokenEstimate);
  const parts = plan.layers
    .map((layer) => `${LAYERS[layer.layer].name} ${formatNumber(layer.tokens)}`)
    .join(", ");
  return (
    <div
      className={classes.budgetBar}
      role="img"
      aria-label={`Budget of ${formatNumber(plan.budget)} tokens: ${parts}, unused ${formatNumber(free)}`}
    >
      {plan.layers.map((layer) => (
        <span
          key={layer.layer}
          className={classes.segment}
          data-layer={layer.layer}
          style={{ width: percent(layer.tokens, Math.max(plan.budget, plan.tokenEstimate)) }}
        />
      ))}
    </div>
  );
}

function describeLayer({ included, shortened, omitted }: PlanLayer): string {
  if (included + omitted === 0) return "no memories";
  const parts = [`${formatNumber(included)} included`];
  if (shortened > 0) parts.push(`${formatNumber(shortened)} shortened`);
  if (omitted > 0) parts.push(`${formatNumber(omitted)} left out`);
  return parts.join(", ");
}

function LayerRow({ layer }: { layer: PlanLayer }) {
  const { name, about } = LAYERS[layer.layer];
  const all = layer.included + layer.omitted;
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
        <span className={classes.layerCounts}>always included</span>
      ) : (
        <>
          <span className={classes.bar} data-layer={layer.layer} aria-hidden>
            <span data-state="full" style={{ width: percent(layer.included - layer.shortened, all) }} />
            <span data-state="shortened" style={{ width: percent(layer.shortened, all) }} />
            <span data-state="omitted" style={{ width: percent(layer.omitted, all) }} />
          </span>
          <span className={classes.layerCounts}>{describeLayer(layer)}</span>
        </>
      )}
      <span className={classes.layerTokens}>{formatNumber(layer.tokens)} tokens</span>
    </li>
  );
}

export function Layers({ plan }: { plan: Plan }) {
  return (
    <div>
      <BudgetBar plan={plan} />
      <ul className={classes.layers} aria-label="Layers">
        {plan.layers.map((layer) => (
          <LayerRow key={layer.layer} layer={layer} />
        ))}
      </ul>
      <ul className={classes.legend} aria-label="Legend">
        <li>
          <span aria-hidden className={classes.legendMark} data-state="full" /> included in full
        </li>
        <li>
          <span aria-hidden className={classes.legendMark} data-state="shortened" /> shortened
        </li>
        <li>
          <span aria-hidden className={classes.legendMark} data-state="omitted" /> left out
        </li>
      </ul>
    </div>
  );
}
