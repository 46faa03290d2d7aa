export const RESPONSE_FORMATS = ['json', 'csv', 'csv_gzip'] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];
