import styles from './method-name.module.css';

const KINDS: Readonly<Record<string, string | undefined>> = {
  GET: styles.reading,
  HEAD: styles.reading,
  DELETE: styles.removing,
};

export function MethodName({ method }: { method: string }) {
  return <span className={`${styles.method} ${KINDS[method] ?? styles.changing}`}>{method}</span>;
}
