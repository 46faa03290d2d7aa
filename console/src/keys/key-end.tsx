import styles from './key-end.module.css';

/** The last characters of a key, by which people tell it from others. */
export function KeyEnd({ apiKey }: { apiKey: { readonly reference: string } }) {
  return <code className={styles.end}>…{apiKey.reference}</code>;
}
