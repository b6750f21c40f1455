import { useCallback, useEffect, useRef, useState } from "react";

/** Distance from the bottom that still counts as being at the bottom. */
const BOTTOM_THRESHOLD_PX = 80;

const maxScroll = () => document.documentElement.scrollHeight - window.innerHeight;

/** Keeps the page scrolled to the bottom as content is added, unless the user has scrolled up. */
export function useStickToBottom() {
  const [atBottom, setAtBottom] = useState(true);
  const pinned = useRef(true);
  useEffect(() => {
    const update = () => {
      pinned.current = maxScroll() - window.scrollY <= BOTTOM_THRESHOLD_PX;
      setAtBottom(pinned.current);
    };
    window.addEventListener("scroll", update, { passive: true });
    window.addEventListener("resize", update);
    return () => {
      window.removeEventListener("scroll", update);
      window.removeEventListener("resize", update);
    };
  }, []);
  const scrollToBottom = useCallback(() => {
    pinned.current = true;
    window.scrollTo({ top: maxScroll() });
  }, []);
  const follow = useCallback(() => {
    if (pinned.current) window.scrollTo({ top: maxScroll() });
  }, []);
  return { atBottom, follow, scrollToBottom };
}
