import styles from './chart-view.module.css';

/** The licence of the library that draws asks for this. */
export function Attribution() {
  return (
    <p className={styles.attribution}>
      TradingView Lightweight Charts™, copyright © 2025 TradingView, Inc.{' '}
      <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
        https://www.tradingview.com/
      </a>
    </p>
  );
}
