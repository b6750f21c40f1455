import { useGet } from "~/api/hooks";
import { useMe } from "./login";

/** Who did something, in words: "by you", "by Noor". */
export function useNames(): (id: string | null) => string {
  const me = useMe();
  const team = useGet("/api/team");
  return (id) => {
    if (id === null) return "";
    if (id === me.userId) return "by you";
    const member = (team.data ?? []).find((one) => "userId" in one && one.userId === id);
    return `by ${member && "name" in member ? member.name : "somebody who has left"}`;
  };
}
