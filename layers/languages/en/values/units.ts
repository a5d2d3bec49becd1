/** Units by dimension, with their size in the base unit. Only singular forms are listed; a plural "s" is optional. */
const sizes = {
  duration: `ns=1e-9 nanosecond=1e-9 µs=1e-6 us=1e-6 microsecond=1e-6 ms=0.001 msec=0.001 millisecond=0.001 s=1 sec=1 second=1
    min=60 minute=60 h=3600 hr=3600 hour=3600 hourly=3600 hrly=3600 d=86400 day=86400 night=86400 wk=604800 week=604800 fortnight=1209600
    month=2629800 y=31557600 yr=31557600 year=31557600 decade=315576000 century=3155760000 centuries=3155760000`,
  size: `bit=0.125 byte=1 kb=1e3 kilobyte=1e3 kib=1024 kibibyte=1024 mb=1e6 megabyte=1e6 mib=1048576 mebibyte=1048576
    gb=1e9 gigabyte=1e9 gig=1e9 gib=1073741824 gibibyte=1073741824 tb=1e12 terabyte=1e12 tib=1099511627776 pb=1e15`,
  length: `nm=1e-9 µm=1e-6 mm=0.001 millimetre=0.001 millimeter=0.001 cm=0.01 centimetre=0.01 centimeter=0.01 m=1 metre=1 meter=1
    mtr=1 km=1000 kilometre=1000 kilometer=1000 mile=1609.344 mi=1609.344 yard=0.9144 yd=0.9144 ft=0.3048 foot=0.3048 feet=0.3048
    inch=0.0254 inche=0.0254 nmi=1852`,
  mass: `mg=1e-6 milligram=1e-6 g=0.001 gr=0.001 gram=0.001 gramme=0.001 kg=1 kilo=1 kilogram=1 lb=0.45359237 pound=0.45359237 oz=0.028349523125
    ounce=0.028349523125 stone=6.35029318 st=6.35029318 ton=1000 tonne=1000 t=1000`,
  volume: `ml=0.001 millilitre=0.001 milliliter=0.001 cl=0.01 dl=0.1 l=1 litre=1 liter=1 ltr=1 gal=3.785411784 gallon=3.785411784
    pint=0.473176473 pt=0.473176473 quart=0.946352946 tbsp=0.01478676478125 tablespoon=0.01478676478125 tsp=0.00492892159375
    teaspoon=0.00492892159375 m³=1000 cbm=1000`,
  area: `m²=1 sqm=1 m2=1 ft²=0.09290304 sqft=0.09290304 ft2=0.09290304 acre=4046.8564224 ha=10000 hectare=10000 km²=1e6 km2=1e6`,
  speed:
    "mph=0.44704 km/h=0.2777777777777778 kph=0.2777777777777778 kmh=0.2777777777777778 m/s=1 knot=0.5144444444444445 kn=0.5144444444444445",
  rate: "kbps=1e3 mbps=1e6 mbit/s=1e6 mb/s=8e6 gbps=1e9 gbit/s=1e9 gb/s=8e9",
  energy: "j=1 kj=1e3 joule=1 wh=3600 kwh=3.6e6 mwh=3.6e9 cal=4.184 kcal=4184 calorie=4184",
  watt: "w=1 watt=1 kw=1000 kilowatt=1000 mw=1e6 megawatt=1e6 hp=745.6998715822702",
  pressure: "pa=1 hpa=100 kpa=1000 bar=1e5 mbar=100 psi=6894.757293168361",
  frequency: "hz=1 khz=1e3 mhz=1e6 ghz=1e9",
  percent: "%=0.01 percent=0.01 pct=0.01 ‰=0.001",
  degree: "°=1 deg=1 degree=1 °c=1 celsius=1 centigrade=1",
  "money usd": "$=1 usd=1 us$=1 dollar=1 buck=1 cent=0.01",
  "money eur": "€=1 eur=1 euro=1",
  "money gbp": "£=1 gbp=1 quid=1 sterling=1 pence=0.01 fiver=5 tenner=10",
  "money chf": "chf=1 sfr=1 franc=1",
  "money jpy": "¥=1 jpy=1 yen=1",
  "money inr": "₹=1 inr=1 rupee=1",
  "money sek": "sek=1 krona=1 kronor=1",
  "money cny": "cny=1 rmb=1 yuan=1"
} as const

/** A unit. An amount in the unit × `size` + `offset` is the amount in the base unit of the dimension. */
export interface Unit {
  readonly dimension: string
  readonly size: number
  readonly offset?: number
}

const units = new Map<string, ReadonlyArray<Unit>>()
for (const [dimension, text] of Object.entries(sizes))
  for (const pair of text.split(/\s+/)) {
    const [word, size] = pair.split("=") as [string, string]
    units.set(word, [{ dimension, size: Number(size) }])
  }
const add = (word: string, ...others: ReadonlyArray<Unit>) => units.set(word, [...(units.get(word) ?? []), ...others])
const [minute, gbp] = [
  { dimension: "duration", size: 60 },
  { dimension: "money gbp", size: 1 }
]
add("m", minute, { dimension: "size", size: 1_048_576 }, { dimension: "", size: 1e6 })
add("pound", gbp)
add("g", { dimension: "size", size: 1_073_741_824 })
// People and configuration files often mean the binary unit, or the US ton, or the UK pint and gallon.
for (const [word, size] of [
  ["kb", 1024],
  ["mb", 1_048_576],
  ["gb", 1_073_741_824],
  ["tb", 1_099_511_627_776]
] as const)
  add(word, { dimension: "size", size })
add("ton", { dimension: "mass", size: 907.18474 })
for (const word of ["pint", "pt"]) add(word, { dimension: "volume", size: 0.56826125 })
for (const word of ["gal", "gallon"]) add(word, { dimension: "volume", size: 4.54609 })
const fahrenheit = { dimension: "degree", size: 5 / 9, offset: -160 / 9 }
for (const word of ["°f", "fahrenheit"]) add(word, fahrenheit)
add("kelvin", { dimension: "degree", size: 1, offset: -273.15 })

/** The possible units for a word in lower case, the most frequent one first; undefined if the word is not a unit. */
export const unitsOf = (word: string): ReadonlyArray<Unit> | undefined =>
  units.get(word) ?? (word.endsWith("s") && word.length > 2 ? units.get(word.slice(0, -1)) : undefined)

/** True if the `unit` of a value is a dimension, not a counted noun. */
export const isDimension = (unit: string | undefined): boolean => unit !== undefined && Object.hasOwn(sizes, unit)
