import type { MeasureText } from './grid-layout';

const FONT_SIZE = '13px';

/** Measures with the font of the page, in the size of the table. */
export function textMeasure(): MeasureText {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) throw new Error('the browser cannot measure text');
  const { fontFamily } = getComputedStyle(document.body);
  return (text, isBold) => {
    context.font = `${isBold ? 600 : 400} ${FONT_SIZE} ${fontFamily}`;
    // Digits of the table are all as wide as this one, and hyphens beside them too.
    return context.measureText(text.replaceAll(/[\d-]/g, '0')).width;
  };
}
