import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";

const slate: MantineColorsTuple = [
  "#f0f5f9",
  "#dfe8ef",
  "#bfd1e0",
  "#9bb8d0",
  "#7ca2c2",
  "#6694ba",
  "#4a7aa3",
  "#3d678c",
  "#325577",
  "#244360",
];

/** Cooler than Mantine's default, with enough contrast between page, card and border. */
const dark: MantineColorsTuple = [
  "#d5dbe1",
  "#b6bec7",
  "#98a2ad",
  "#6d7883",
  "#3c4650",
  "#2f3841",
  "#232b33",
  "#1a2128",
  "#141a20",
  "#0e1317",
];

export const theme = createTheme({
  primaryColor: "slate",
  primaryShade: { light: 7, dark: 7 },
  colors: { slate, dark },
  defaultRadius: "md",
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: "650", sizes: { h1: { fontSize: "1.6rem" }, h2: { fontSize: "1.2rem" } } },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" }, styles: { title: { fontWeight: 650 } } },
    },
    // A title in the alert color has too little contrast.
    Alert: { defaultProps: { styles: { title: { color: "var(--mantine-color-text)" } } } },
  },
});

/** Dimmed text keeps a contrast of at least 4.5:1 on its background. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#56616b",
    "--mantine-color-placeholder": "#66717c",
    "--mantine-color-error": "#c02a2a",
    "--loremark-background": "#f6f8fa",
    "--loremark-border": "#dde3e8",
  },
  dark: {
    "--mantine-color-dimmed": "#a2adb8",
    "--mantine-color-placeholder": "#93a0ac",
    "--mantine-color-anchor": "#9bb8d0",
    "--mantine-color-error": "#ff8787",
    "--loremark-background": "#10161b",
    "--loremark-border": "#2b343d",
  },
});
