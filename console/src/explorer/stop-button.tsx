import { Square } from 'lucide-react';
import { Button } from '../ui/button';
import styles from './explorer-screen.module.css';

/** Gives up what is being read, here and at the server; shown once that takes a while. */
export function StopButton({ isReading, onStop }: { isReading: boolean; onStop: () => void }) {
  if (!isReading) return null;
  return (
    <span className={styles.stop}>
      <Button icon={Square} onClick={onStop}>
        Stop
      </Button>
    </span>
  );
}
