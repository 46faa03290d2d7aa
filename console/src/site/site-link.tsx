import type { ReactNode } from 'react';
import buttonStyles from '../ui/button.module.css';
import styles from '../ui/link-button.module.css';

interface SiteLinkProps {
  href: string;
  kind?: 'plain' | 'primary';
  children: ReactNode;
}

/** A link to another page that looks like a button. */
export function SiteLink({ href, kind = 'plain', children }: SiteLinkProps) {
  return (
    <a href={href} className={`${buttonStyles.button} ${buttonStyles[kind]} ${styles.link}`}>
      {children}
    </a>
  );
}
