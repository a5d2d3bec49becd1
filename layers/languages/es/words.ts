import type { LanguageWords } from "../claims/LanguageWords.js"

export const spanish: LanguageWords = {
  tag: "es",
  cues: {
    not: "no, nunca, jamás, ningún, ninguna, ninguno, nadie, nada, sin, tampoco, ni, prohibido, prohibida",
    ended:
      "ya no, dejó de, dejado, dejado de, deja de, dejaron de, dejamos de, nunca más, terminó, se acabó, cancelado, cancelada, canceló, cancelaron, se canceló, eliminado, eliminada, suprimido, abandonado, renunció, dimitió, cerró definitivamente, se suspendió, suspendido, suspendida, obsoleto, dado de baja, dio de baja, retirado, retirada, quitaron, quitamos, dejó, descartado, descartada, anulado, anulada, disuelto, se fue de, se ha ido, separado, separados, divorciados, ya nada de, adiós a, se terminó, rescindido, cierra para siempre, rompieron",
    changed:
      "ahora, actualmente ya, desde ahora, a partir de ahora, a partir de hoy, desde hoy, desde ayer, desde hace poco, nuevo, nueva, nuevos, nuevas, cambió, cambiado, cambiada, cambiamos, cambiaron, cambia, pasó a, pasa a, pasamos a, pasado a, pasaron a, pasa de, pasó de, se mudó, mudado, trasladó, trasladado, trasladada, movido, movida, movió, se movió, aplazado, aplazada, aplazó, retrasó, adelantó, adelantado, reemplazado, reemplazada, reemplazó, reemplaza, reemplazamos, sustituido, sustituida, sustituye, sustituyó, subió, subido, bajó, bajado, aumentó, aumentado, redujo, reducido, amplió, ampliado, prorrogado, migrado, migramos, migró, migraron, renombrado, asumió, asume, en su lugar, finalmente, al final, ya, vuelve a, volvió a, vuelto a, últimamente, desde entonces, se convirtió, ascendieron, sucede a, nueva etapa, rebautizado, duplicado, ha pasado a, han pasado a, han cambiado, ha cambiado, se ha mudado, traspasado, pasa al, pasa a la, queda en, ascendió, relevó, releva",
    corrected:
      "corrección, mal puesto, estaba mal, resulta que, corrijo, corregido, rectificación, rectifico, fe de erratas, error, me equivoqué, equivocado, equivocada, confundí, confusión, en realidad, de hecho, por error, falso, errata, mejor dicho, perdón",
    former:
      "en vez de, en vez del, en lugar de, en lugar del, en sustitución de, hasta ahora, anteriormente, antiguo, antigua, exnovio, y no, que no",
    also: "también, además, asimismo, segundo, segunda, otro, otra, otros, otras, adicional, así como, a veces, de vez en cuando, en ocasiones, igualmente, aparte",
    still:
      "sigue, siguen, sigo, seguimos, todavía, aún, continúa, se mantiene, mantiene, mantenemos, igual, sin cambios, confirmo, confirmado, confirmada, confirma, como siempre, comprobado, verificado, efectivamente, tal cual, lo mismo, como antes, exacto, exactamente, correcto, así es, no ha cambiado, nada ha cambiado, en efecto, tal como",
    past: "antes, antiguamente, era, eran, estaba, estaban, tenía, tenían, había, solía, en aquella época, entonces, de niño, de niña, de pequeño, de pequeña, de joven, originalmente, al principio, inicialmente, hace años, en los años, vivía, trabajaba, usaba, usábamos, estudió",
    maybe:
      "quizás, quizá, tal vez, a lo mejor, probablemente, posiblemente, puede que, podría, podrían, debería, deberían, sería, serían, habría, parece, creo, creemos, pienso, supongo, supuestamente, al parecer, aparentemente, dudo, no estoy seguro, no estoy segura, no sé si, si es que, rumor, rumores, se rumorea, seguramente, igual se, jaja*, nadie lo sabe, vete a saber, está por ver, quién sabe, hay que ver, en teoría, no es seguro, claro que sí, sí claro, ojalá, capaz, iría, tendría, haría, ya veremos",
    plan: "planea, planean, planeamos, prevé, previsto, quiere, quieren, queremos, quiero, quisiera, piensa, pensando en, estamos pensando, espera, espero, esperamos, desea, propone, propuso, proponemos, propuesta, discutimos, discutido, hablamos de, considera, considerando, valorando, va a, van a, vamos a, voy a, pronto, el año que viene, el próximo, la próxima, próximamente, le gustaría, me gustaría, idea, evaluando, baraja, estudia",
    said: "según, dice, dicen, dijo, afirma, asegura, comenta, comentó, según cuenta, contó, se dice, oí, he oído, escuché, pregunta, preguntó, opina, cree, dicen que",
    temporary:
      "mañana, esta noche, esta tarde, esta semana, este mes, esta vez, excepcionalmente, temporalmente, provisionalmente, provisional, temporal, por ahora, de momento, por el momento, en este momento, hasta, durante, mientras, este fin de semana, puntualmente, una vez, de vacaciones, excepción, salvo, solo por, la semana que viene, este lunes, este martes, este miércoles, este jueves, este viernes, este verano, a prueba, de forma excepcional, en pruebas",
    added:
      "se suma, se añade, añadir, añadido, agregar, agregado, sumar, incluir, incorporar, apuntar, falta añadir, se une, pide además",
    today: "hoy",
    but: "sino, pero, sin embargo, en cambio, sino que"
  },
  empty: `antes_de antes_del antes_que de_la_tarde de_la_mañana de_la_noche el la los las lo un una unos unas de del a al en con por para entre y e o u que quien cual cuyo este esta estos estas ese esa eso esto esos esas aquel él ella ellos ellas le les se su sus
    como porque pues así muy bien más menos todo todos toda todas unos unas aproximadamente unas desde tras sobre ahí aquí allí puede pueden debe deben hay que cuando donde cada ha han he hemos haber sido solo sólo señor señora don doña les ello tan tanto casi`,
  copulas: "es son soy somos fue será",
  decimal: ",",
  links:
    "da hace está están estoy estamos vive viven vivo vivimos trabaja trabajan trabajo reside cuesta cuestan vale dura empieza comienza termina acaba abre cierra llama queda ubicado ubicada situado corre escucha usa usamos usan utiliza utilizamos utilizan dirige lleva gestiona pertenece pesa mide estudia conduce maneja paga cobra celebra encarga responsable tiene_lugar encuentra",
  openLinks:
    "tiene tienen tengo tenemos gusta gustan come bebe habla conoce ama odia juega compra colecciona prefiere toma",
  thisWords: "este esta",
  speaker: "yo me mi mis mí nosotros nos nuestro nuestra nuestros nuestras",
  scopes: `madre padre hermano hermana hijo hija esposa esposo marido mujer tío tía primo prima abuela abuelo sobrino sobrina amigo amiga colega compañero compañera vecino vecina jefe jefa hijos padres cuñado cuñada suegra suegro novio novia
    producción prod preproducción staging pruebas test desarrollo dev local sandbox izquierda derecha arriba abajo norte sur este oeste verano invierno sábados domingos ios android windows linux mac interno externo interna externa`,
  same: `vivir, vive, reside, residir, domicilio; trabajar, trabaja, empleado, empleada, puesto, curra; alergia, alérgico; miedo, teme, temor; estudiar, estudia, estudios, estudiante; reunir, reúne, reunión; firmar, firma; ejercer, ejerce; niño, bebé; caducar, caduca, vence; hablar, habla; pagar, paga; conducir, conduce; coche, carro, auto, automóvil, vehículo; reunión, cita, junta, encuentro; móvil, celular, teléfono; dirección, domicilio; médico, doctor, médica, doctora; jefe, jefa, responsable, director, directora; empresa, compañía; cumpleaños, nació, nacido, nacida, cumple, nacimiento; contraseña, clave, password; correo, email, e-mail, mail; oficina, despacho;
    ordenador, computadora, pc, computador; empezar, empieza, comienza, comenzar, inicia; terminar, termina, acaba, finaliza; usar, usa, usamos, utiliza, utilizamos, emplea; costar, cuesta, precio, vale, tarifa; mensual, mes, mensuales, mensualmente; anual, año, anuales; diario, día, diaria, diariamente; semanal, semana; base de datos, bd, db; kubernetes, k8s; vegetariano, vegetariana; alergia, alérgico, alérgica; casado, casada, matrimonio; despliegue, desplegar, despliega, desplegamos, deploy; plazo, fecha límite, vencimiento, entrega; gustar, gusta, encanta, gustan; bici, bicicleta; abrir, abre, abierto, abierta, apertura; cerrar, cierra, cierre`,
  opposites: `activado, activada, activo, activa, encendido, habilitado, habilitada / desactivado, desactivada, inactivo, inactiva, apagado, deshabilitado, deshabilitada; abierto, abierta / cerrado, cerrada; público, pública / privado, privada; gusta, encanta, ama / odia, detesta, disgusta; disponible / indisponible; obligatorio, obligatoria / opcional, voluntario; casado, casada / divorciado, divorciada, soltero, soltera;
    manual, manualmente / automático, automática, automáticamente; oscuro / claro; funciona / roto, rota, averiado, averiada; fumador, fuma / no fumador; tiempo completo, jornada completa / media jornada, tiempo parcial; aceptado, aceptada, aprobado, aprobada / rechazado, rechazada; lleno, llena / vacío, vacía; gratis, gratuito, gratuita / pago, de pago; posible / imposible`,
  units: {
    time: "segundo=1 segundos=1 s=1 ms=0.001 minuto=60 minutos=60 min=60 hora=3600 horas=3600 día=86400 días=86400 semana=604800 semanas=604800 mes=2629800 meses=2629800 año=31557600 años=31557600",
    length: "mm=0.001 cm=0.01 centímetros=0.01 m=1 metro=1 metros=1 km=1000 kilómetro=1000 kilómetros=1000",
    mass: "mg=0.001 g=1 gramos=1 kg=1000 kilo=1000 kilos=1000 toneladas=1000000",
    money: "euro=1 euros=1 eur=1 €=1",
    dollar: "dólar=1 dólares=1 usd=1 $=1",
    peso: "pesos=1",
    percent: "%=1",
    bytes: "kb=0.001 mb=1 gb=1000 tb=1000000",
    volume: "ml=0.001 l=1 litro=1 litros=1",
    temperature: "°c=1 grados=1 °=1"
  },
  numbers:
    "cero=0 uno=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12 trece=13 catorce=14 quince=15 dieciséis=16 veinte=20 treinta=30 cuarenta=40 cincuenta=50 sesenta=60 setenta=70 ochenta=80 noventa=90 cien=100 mil=1000 docena=12 quincena=15",
  clock: "h hrs horas",
  minutes: "y media=30, y cuarto=15, menos cuarto=-15",
  minutesBefore: "",
  due: "busca, buscamos, buscan, buscando, pendiente, falta, faltan, por pagar, por firmar, por enviar, en venta, averiado, averiada, estropeado, estropeada, roto, rota, de baja, en obras, vacante, sin pagar, enfermo, enferma, en trámite, está por, no funciona, atascado, atascada, en el taller, perdido, perdida, embarazada, prometidos, comprometidos, espera, a la espera, prestado, prestada, desaparecido, desaparecida, ingresado, ingresada, en el hospital, vacío, por confirmar, sin firmar, solicitado, lesionado, lesionada, se busca",
  done: "encontrado, encontrada, encontró, pagado, pagada, pagó, vendido, vendida, vendió, firmado, firmada, firmó, firmamos, enviado, enviada, arreglado, arreglada, arregló, arreglaron, reparado, reparada, repararon, terminado, terminada, resuelto, resuelta, reincorporado, reincorporada, cubierto, cubierta, entregado, entregada, casado, casados, se casó, se casaron, llegado, llegó, recuperado, recuperada, curado, de alta, de vuelta, vuelve a funcionar, ya funciona, listo, lista, hecho, aprobado, nació, contratado, contratada, apareció, devuelto, devuelta, cobrado, cobrada, comprado, comprada, instalado, instalada, concedido, concedida, salió del hospital, nacido, acabado, acabada, cerrado el trato, repuesto, solucionado",
  months:
    "enero/ene febrero/feb marzo/mar abril/abr mayo junio/jun julio/jul agosto/ago septiembre/sept/setiembre octubre/oct noviembre/nov diciembre/dic",
  weekdays: "lunes martes miércoles jueves viernes sábado/sábados domingo/domingos",
  endedAfterNot: ["no", "más"],
  fromTo: ["de del desde", "a al"],
  endings:
    /(?:amente|mente|ciones|cion|ando|iendo|aron|ieron|aban|aba|amos|emos|imos|adas?|ados?|idas?|idos?|as|os|es|an|en|ar|er|ir|o|a|e|s)$/
}
