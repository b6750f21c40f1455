import { useCallback, useEffect, useRef, useState } from "react";

/** So near to the end counts as being there. */
const NEAR_PX = 80;

const end = () => document.documentElement.scrollHeight - window.innerHeight;

/** The page follows what is added at its end as long as its reader stays there, and leaves them alone elsewhere. */
export function useBottom() {
  const [atBottom, setAtBottom] = useState(true);
  const stays = useRef(true);
  useEffect(() => {
    const look = () => {
      stays.current = end() - window.scrollY <= NEAR_PX;
      setAtBottom(stays.current);
    };
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
    };
  }, []);
  const toBottom = useCallback(() => {
    stays.current = true;
    window.scrollTo({ top: end() });
  }, []);
  const follow = useCallback(() => {
    if (stays.current) window.scrollTo({ top: end() });
  }, []);
  return { atBottom, follow, toBottom };
}
