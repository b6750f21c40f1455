import { ApiError, call, type RequestOptions } from "~/api/client";

type NewPasskey = NonNullable<RequestOptions<"/api/auth/passkeys", "post">["body"]>;
type SignIn = NonNullable<RequestOptions<"/api/auth/passkeys/sign-in", "post">["body"]>;

/** Why passkeys don't work here; null if they do. Browsers have none for IP addresses and without HTTPS. */
export function passkeyProblem(): string | null {
  const { hostname, port } = window.location;
  if (hostname === "127.0.0.1" || hostname === "[::1]")
    return `Open this page at http://localhost${port ? `:${port}` : ""} to use passkeys.`;
  if (!window.isSecureContext) return "Passkeys need HTTPS.";
  if (typeof PublicKeyCredential === "undefined" || !("parseCreationOptionsFromJSON" in PublicKeyCredential))
    return "This browser is too old for passkeys.";
  return null;
}

/** The user closed the browser's dialog, or the device has no matching passkey. */
function explain(error: unknown): unknown {
  if (!(error instanceof DOMException)) return error;
  if (error.name === "InvalidStateError")
    return new ApiError(409, "This device already has a passkey for you.");
  return new ApiError(400, "No passkey was used. Try again.");
}

/** Creates a passkey on this device and adds it to the account. */
export async function createPasskey(name: string, proof: { password: string; code: string | null }) {
  const { options } = await call("post", "/api/auth/passkeys/options", { body: proof });
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as unknown as PublicKeyCredentialCreationOptionsJSON,
    );
    const created = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
    const credential = created.toJSON() as NewPasskey["credential"];
    await call("post", "/api/auth/passkeys", { body: { name, credential } });
  } catch (error) {
    throw explain(error);
  }
}

/** Signs in with a passkey of this device. */
export async function signInWithPasskey(teamId: string | null) {
  const { options } = await call("post", "/api/auth/passkeys/sign-in/options");
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as unknown as PublicKeyCredentialRequestOptionsJSON,
    );
    const found = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
    const credential = found.toJSON() as SignIn["credential"];
    await call("post", "/api/auth/passkeys/sign-in", { body: { credential, teamId } });
  } catch (error) {
    throw explain(error);
  }
}
