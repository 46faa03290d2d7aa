import { type RefObject, useEffect, useState } from 'react';

export type CutEdges = 'start' | 'end' | 'both' | undefined;

/** Distances that zoomed browsers leave at the end of a scroll. */
const SLACK_PX = 1;

function cutEdges({ scrollLeft, scrollWidth, clientWidth }: Element): CutEdges {
  const isCutAtStart = scrollLeft > SLACK_PX;
  const isCutAtEnd = scrollWidth - clientWidth - scrollLeft > SLACK_PX;
  if (isCutAtStart && isCutAtEnd) return 'both';
  if (isCutAtStart) return 'start';
  return isCutAtEnd ? 'end' : undefined;
}

/** At which edges an element that scrolls sideways hides some of what its first child shows. */
export function useCutEdges(scrolled: RefObject<HTMLElement | null>): CutEdges {
  const [cut, setCut] = useState<CutEdges>();
  useEffect(() => {
    const element = scrolled.current;
    if (!element) return undefined;
    const update = () => setCut(cutEdges(element));
    const observer = new ResizeObserver(update);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [scrolled]);
  return cut;
}
