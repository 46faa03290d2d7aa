import { ChevronDown, ChevronRight } from 'lucide-react';
import { Button } from '../ui/button';
import type { ExplorerQuery } from './explorer-query';
import { moreText } from './more-text';

interface MoreProps {
  query: ExplorerQuery;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  controls: string;
}

/** Opens the fields that are not in the line, and tells in a few words which of them are set. */
export function MoreButton({ query, isOpen, onOpenChange, controls }: MoreProps) {
  const text = moreText(query);
  return (
    <Button
      kind="quiet"
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={() => onOpenChange(!isOpen)}
    >
      {isOpen ? <ChevronDown size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
      {text === '' ? 'More' : `More: ${text}`}
    </Button>
  );
}
