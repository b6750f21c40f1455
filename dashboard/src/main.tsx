import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./global.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client";
import { App } from "./app";
import { cssVariables, theme } from "./theme";

// The content security policy only allows runtime styles that carry the server's nonce.
const nonce = document.querySelector('meta[name="loremark-nonce"]')?.getAttribute("content") ?? "";
setNonce(nonce);

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && [0, 429, 500, 502, 503, 504].includes(error.status),
      retryDelay: (failures, error) =>
        ((error instanceof ApiError ? error.retryAfterSeconds : null) ?? 2 ** failures) * 1000,
    },
  },
});

createRoot(document.getElementById("root")!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    colorSchemeManager={localStorageColorSchemeManager({ key: "loremark-scheme" })}
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={cache}>
      <Notifications position="bottom-right" limit={4} />
      <App />
    </QueryClientProvider>
  </MantineProvider>,
);
