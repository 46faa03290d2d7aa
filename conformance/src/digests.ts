/** SHA-256 of the CSV that each request for all rows of the market returns. */
export const DIGESTS: Readonly<Record<string, string>> = {
  '/data/us-equity/eq-taq/2025-03-07/KTA':
    '4702fbfb348bd9a91a2444d300a18a87d2660631ea7c96cac14dbe253878278e',
  '/data/us-equity/eq-taq/2025-03-07/KTB':
    'a4b5c47974470a1086e1f49fb1035e1f4544081e40bc45d84d83da084724460f',
  '/data/us-equity/eq-taq/2025-03-07/KTZ':
    'c968dee67e5524ce50d7ca0572c319f868eb44caa1a4bb7ee823367e5020227e',
  '/data/us-equity/eq-taq/2025-03-10/KTA':
    '8a3de69739872bc45dc9d7488ae4d752edd2022a4f2b189ab79c94cf582c0621',
  '/data/us-equity/eq-taq/2025-03-10/KTB':
    '259d66f4def860701f186945b46cd467228172cb5ce77f489216dc3b87b876f0',
  '/data/us-equity/eq-taq/2025-03-10/KTZ':
    '7a6bab1160b02d56f4de466682d9d44ae920376a5102e2f26b0d449a0d020702',
  '/data/us-equity/eq-daily-ohlc?period=20Y':
    'd3554303ff71829771b9d3a1dae87ca143a0cb490a4fc8979a338fe013e62f68',
  '/data/us-futures/fut-trades-1min?Ticker.in=KQH5,KQM5':
    '9dcd491062b7167334047f10b89dc337535a395e746997a4f451e61c9b02450c',
  '/data/us-equity-ref/eq-sec-master':
    '58c34f22928ec5ca498a8115f2cb2627537093f17b8efdc32f80742fd82fa60f',
};
