/** A day in UTC, in the forms that people write: "8 May 2023 Monday 2023-05-08". */
export const dateWords = (instant: number): string => {
  const date = new Date(instant)
  const [day, month, year] = [date.getUTCDate(), months[date.getUTCMonth()], date.getUTCFullYear()]
  return `${day} ${month} ${year} ${weekdays[date.getUTCDay()]} ${date.toISOString().slice(0, 10)}`
}

export const months = "January February March April May June July August September October November December".split(" ")
const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")
